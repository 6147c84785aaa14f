// Communication: one line per operation that is there.
#include <fmt/format.h>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::string_view kDataParallel[] = {"all_gather", "reduce_scatter", "all_reduce",
                                              "replicas"};
constexpr std::string_view kOthers[] = {"tensor", "context", "expert", "pipeline"};

std::string id_of(std::string_view operation, std::string_view what) {
  return fmt::format("comm.{}.{}", operation, what);
}

// "all-gather of weights: time of one" -> "all-gather of weights"
std::string name_of_operation(const Metric& m) { return m.title.substr(0, m.title.find(':')); }

// Context parallelism has three ways to exchange keys and values; only one of them hops.
std::string row_name(Reader& r, std::string_view operation, const Metric& bytes) {
  const std::string what = r.text(id_of(operation, "operation"));
  if (operation == "context" && what.starts_with("all-")) return "context " + what;
  if (operation == "tensor" && what != "all-reduce") return "tensor " + what;
  return name_of_operation(bytes);
}

bool add_operation(Reader& r, std::string_view operation, Table& out) {
  const Metric* bytes = r.get(id_of(operation, "bytes"));
  if (!bytes) return false;
  const std::string step_time = id_of(operation, "step_time");
  r.claim({id_of(operation, "count"), id_of(operation, "time"), step_time,
           id_of(operation, "exposed")});
  r.claim({id_of(operation, "ranks"), id_of(operation, "in_node"), id_of(operation, "operation"),
           id_of(operation, "link"), id_of(operation, "behind"),
           id_of(operation, "exposed_share")});
  if (bytes->value == 0 && r.number(step_time).value_or(0) == 0) return false;  // one rank
  const auto cell = [&](const char* what) { return r.text(id_of(operation, what)); };
  out.row({row_name(r, operation, *bytes), cell("count"), cell("bytes"), cell("time"),
           cell("step_time"), cell("exposed")});
  return true;
}

std::string total_note(Reader& r) {
  std::string note = fmt::format("Each GPU sends {} a step", r.text("comm.total.bytes"));
  note += fmt::format(": {} if none hides", r.text("comm.total.time"));
  if (const auto share = r.number("comm.total.over_compute"))
    note += fmt::format(", {} of compute", format_quantity(*share, kOne, Hint::kFraction));
  return note + '.';
}

}  // namespace

Section communication_section(Reader& r, const Canvas&) {
  Table out({{"operation"},
             {"count", Align::kRight},
             {"bytes/op", Align::kRight},
             {"time/op", Align::kRight},
             {"in a step", Align::kRight},
             {r.number("comm.data.exposed") ? "exposed" : "", Align::kRight}});
  bool any_data = false;
  for (const std::string_view op : kDataParallel) any_data |= add_operation(r, op, out);
  const std::string count = r.text("comm.data.count"), time = r.text("comm.data.time");
  const std::string exposed = r.number("comm.data.exposed") ? r.text("comm.data.exposed") : "";
  if (any_data) out.row({"data parallel, together", count, "", "", time, exposed});
  for (const std::string_view op : kOthers) add_operation(r, op, out);
  const std::string note = total_note(r);
  if (out.empty()) return {};
  return {.title = "Communication of one GPU", .table = std::move(out), .notes = {note}};
}

// If verbose, one line per operation: what is called, among whom, over what, behind what it may hide.
Section collectives_section(Reader& r, const Canvas& canvas) {
  if (!canvas.verbose) return {};
  // A narrow terminal has no room to repeat what the mesh and the table above say: links, shares of a node, exposure.
  const bool wide = canvas.width >= 120, narrow = canvas.width < 100;
  std::vector<Table::Column> columns{{"for"}, {"operation"}, {"ranks", Align::kRight}};
  if (!narrow) columns.push_back({"in a node", Align::kRight});
  if (wide) columns.push_back({"over"});
  columns.push_back({"may hide behind"});
  if (!narrow) columns.push_back({"exposed", Align::kRight});
  Table out(columns);
  const auto add = [&](std::string_view op, std::string_view label) {
    const Metric* ranks = r.get(id_of(op, "ranks"));
    if (!ranks || ranks->value <= 1) return;
    const auto cell = [&](const char* what) { return r.text(id_of(op, what)); };
    std::vector<std::string> cells{std::string(label), cell("operation"), cell("ranks")};
    if (!narrow) cells.push_back(cell("in_node"));
    if (wide) cells.push_back(cell("link"));
    cells.push_back(cell("behind"));
    if (!narrow) cells.push_back(cell("exposed_share"));
    out.row(std::move(cells));
  };
  add("all_gather", "weights");
  add("reduce_scatter", "gradients");
  add("all_reduce", "gradients");
  add("replicas", "replicas");
  add("tensor", "tensor");
  add("context", "context");
  add("expert", "experts");
  add("pipeline", "pipeline");
  if (out.empty()) return {};
  return {.title = "Who talks to whom", .table = std::move(out)};
}

}  // namespace reckon
