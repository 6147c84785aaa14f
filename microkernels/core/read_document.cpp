// A file that write() wrote, read back: what is wrong with one is found by the reader that `reckon calibrate` uses.
#include <fmt/format.h>

#include <cmath>

#include "document.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/measured.hpp"
#include "reckon/spec/bench.hpp"

namespace reckon::bench {
namespace {

// A number in the unit that the file says once; 0 where there is none. Its faults were found before.
double number(const doc::Value& v, const std::string& unit, Dim dim) {
  if (v.is_null()) return 0;
  const auto parsed = parse_quantity(v.text + " " + unit, dim);
  const double* x = std::get_if<double>(&parsed);
  return x ? *x : 0;
}

Problem problem_of(const BenchPoint<double>& p) {
  Problem out{std::string(reckon::name_of(p.op)),
              p.dtype,
              p.library,
              std::string(reckon::name_of(p.launch)),
              std::string(reckon::name_of(p.cache)),
              {}};
  for (const doc::Entry& e : p.shape.entries)
    out.shape.emplace_back(e.key, std::llround(number(e.value, "", kOne)));
  return out;
}

Stop stop_of(const std::string& word) {
  for (const Stop s : {Stop::kSteady, Stop::kStable, Stop::kTime})
    if (word == word_of(s)) return s;
  return Stop::kSamples;
}

Point point_of(const BenchPoint<double>& p, const BenchUnits& u) {
  Point out;
  out.problem = problem_of(p);
  out.amounts = {number(p.bytes, u.bytes, kByte), number(p.flops, u.flops, kFlop)};
  out.seconds = {number(p.median, u.time, kSecond), number(p.p10, u.time, kSecond),
                 number(p.p90, u.time, kSecond)};
  out.samples = static_cast<std::size_t>(p.samples.raw);
  out.stop = stop_of(p.stop);
  out.clock = number(p.clock, u.clock, kHertz);
  out.throttled = p.throttled;
  out.check = number(p.check, "", kOne);
  out.note = p.note;
  return out;
}

Machine machine_of(const BenchMachine<double>& m, const BenchUnits& u) {
  Machine out{m.backend, m.host, m.processor, m.driver, m.runtime, m.devices};
  out.units = m.units ? m.units->raw : 0;
  out.clock = number(m.clock, u.clock, kHertz);
  out.memory = number(m.memory, u.bytes, kByte);
  out.cache = number(m.cache, u.bytes, kByte);
  return out;
}

}  // namespace

std::optional<Document> read_document(Workspace& work, const std::string& file, Diagnostics& d) {
  doc::Value tree = work.read(file, {}, d);
  if (d.has_errors()) return {};
  const doc::Value kind = doc::take(tree, "kind");
  if (kind.text != "bench") {
    d.error(kind.span ? kind.span : tree.span, fmt::format("{}: no file of kind: bench", file))
        .help("reckon-bench --output writes one");
    return {};
  }
  Bench<double> said;
  Origins origins;
  bind(tree, said, {d, origins});
  // One in which nothing was measured is no fault here: what it left out is worth reading.
  if (!d.has_errors() && !said.points.empty()) {
    FileFacts facts;
    facts.chip = kChipToWrite;
    std::vector<std::string> notes;
    read_measured(work, file, facts, d, notes);
  }
  if (d.has_errors()) return {};
  Document out;
  out.machine = machine_of(said.machine, said.units);
  out.chip = said.chip;
  out.date = said.machine.date;
  out.command = said.machine.command;
  for (const BenchPoint<double>& p : said.points) out.points.push_back(point_of(p, said.units));
  out.left_out = said.left_out;
  return out;
}

}  // namespace reckon::bench
