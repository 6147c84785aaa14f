#include "document.hpp"

#include "reckon/base/json.hpp"

namespace reckon::bench {
namespace {

constexpr double kMicro = 1e-6, kMega = 1e6;

void write_machine(JsonWriter& json, const Document& d) {
  const Machine& m = d.machine;
  json.key("machine").object();
  for (const auto& [key, text] : {std::pair<const char*, const std::string&>{"backend", m.backend},
                                  {"host", m.host},
                                  {"processor", m.processor},
                                  {"driver", m.driver},
                                  {"runtime", m.runtime},
                                  {"date", d.date},
                                  {"command", d.command}})
    if (!text.empty()) json.key(key).text(text);
  json.key("devices").array(JsonWriter::kOneLine);
  for (const std::string& name : m.devices) json.text(name);
  json.close();
  for (const auto& [key, x] : {std::pair{"units", m.units},
                               {"clock", m.clock / kMega},
                               {"memory", m.memory},
                               {"cache", m.cache}})
    if (x > 0) json.key(key).number(x);
  json.close();
}

void write_point(JsonWriter& json, const Point& p) {
  json.object(JsonWriter::kOneLine);
  json.key("op").text(p.problem.op);
  if (!p.problem.dtype.empty()) json.key("dtype").text(p.problem.dtype);
  json.key("library").text(p.problem.library);
  json.key("launch").text(p.problem.launch).key("cache").text(p.problem.cache);
  json.key("shape").object(JsonWriter::kOneLine);
  for (const auto& [key, size] : p.problem.shape) json.key(key).number(static_cast<double>(size));
  json.close();
  if (p.amounts.bytes > 0) json.key("bytes").number(p.amounts.bytes);
  if (p.amounts.flops > 0) json.key("flops").number(p.amounts.flops);
  json.key("median").number(p.seconds.median / kMicro);
  json.key("p10").number(p.seconds.p10 / kMicro).key("p90").number(p.seconds.p90 / kMicro);
  json.key("samples").number(static_cast<double>(p.samples));
  json.key("stop").text(word_of(p.stop));
  if (p.clock > 0) json.key("clock").number(p.clock / kMega);
  if (p.throttled) json.key("throttled").boolean(true);
  json.key("check").number(p.check);
  if (!p.note.empty()) json.key("note").text(p.note);
  json.close();
}

}  // namespace

std::string write(const Document& d) {
  JsonWriter json;
  json.object().key("kind").text("bench").key("version").number(kDocumentVersion);
  json.key("units").object(JsonWriter::kOneLine);
  json.key("time").text("us").key("bytes").text("B").key("flops").text("FLOP");
  json.key("clock").text("MHz").close();
  if (!d.chip.empty()) json.key("chip").text(d.chip);
  write_machine(json, d);
  json.key("points").array();
  for (const Point& p : d.points) write_point(json, p);
  json.close();
  if (!d.left_out.empty()) {
    json.key("left_out").array();
    for (const std::string& text : d.left_out) json.text(text);
    json.close();
  }
  json.close();
  return json.str() + "\n";
}

}  // namespace reckon::bench
