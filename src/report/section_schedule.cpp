// Recomputed modules and what each is worth; the passes of each pipeline stage, and what decides the step.
#include <fmt/format.h>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::string_view kSaved = ".saved";

std::string id_of(std::size_t stage, std::string_view what) {
  return fmt::format("pipeline.stage.{}.{}", stage, what);
}

std::vector<std::string> stage_cells(Reader& r, std::size_t stage) {
  std::vector<std::string> out;
  for (const char* what : {"forward", "backward", "weights", "waits"})
    out.push_back(r.text(id_of(stage, what)));
  return out;
}

// "35 forward passes, 16 backward passes and 30 transfers"
std::string path_words(Reader& r) {
  std::vector<std::string> parts;
  const auto add = [&](const char* id, const char* one, const char* many) {
    const double n = r.number(std::string("pipeline.path.") + id).value_or(0);
    if (n != 0) parts.push_back(fmt::format("{:.0f} {}", n, n == 1 ? one : many));
  };
  add("forward", "forward pass", "forward passes");
  add("backward", "gradient of inputs", "gradients of inputs");
  add("weights", "gradient of weights", "gradients of weights");
  add("transfers", "transfer", "transfers");
  return join(parts, ", ");
}

}  // namespace

Section recompute_section(Reader& r, const Canvas&) {
  Section out{.title = "Recomputed modules",
              .table = Table({{"module"},
                              {"saves", Align::kRight},
                              {"FLOPs a token", Align::kRight},
                              {"time in a step", Align::kRight}})};
  bool any = false;
  for (const Metric& m : r.result().metrics) {
    if (!m.id.starts_with("recompute.") || !m.id.ends_with(kSaved)) continue;
    const std::string base = m.id.substr(0, m.id.size() - kSaved.size());
    out.table.row({base.substr(10), r.text(m.id), r.text(base + ".flops"), r.text(base + ".time")});
    any = true;
  }
  r.claim_all("recompute.");
  if (!any) return {};
  out.notes.emplace_back(
      "Saved on the heaviest stage; of one layer what is made again is alive beside what is kept.");
  return out;
}

Section schedule_section(Reader& r, const Canvas&) {
  std::size_t stages = 0;
  while (r.result().find(id_of(stages, "waits"))) ++stages;
  r.claim_all("pipeline.stage.");
  const std::string path = path_words(r), time = r.text("pipeline.path.time");
  r.claim_all("pipeline.path.");
  if (stages == 0) return {};
  Section out{.title = "Passes of each stage",
              .table = Table({{"stage"},
                              {"forward", Align::kRight},
                              {"inputs", Align::kRight},
                              {"weights", Align::kRight},
                              {"waits", Align::kRight}})};
  for (std::size_t i = 0, last = 0; i < stages; i = last + 1) {
    std::vector<std::string> cells = stage_cells(r, i);
    for (last = i; last + 1 < stages && stage_cells(r, last + 1) == cells;) ++last;
    cells.insert(cells.begin(), i == last ? std::to_string(i) : fmt::format("{}–{}", i, last));
    out.table.row(std::move(cells));
  }
  out.notes.push_back(
      fmt::format("Of a micro-batch, with what its layers' communication leaves exposed; played "
                  "out, {} are decided by {}.",
                  time, path));
  return out;
}

}  // namespace reckon
