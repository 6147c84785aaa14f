#include "reckon/report/json.hpp"

#include "cell.hpp"

namespace reckon {
namespace {

void write_text(JsonWriter& json, std::string_view key, const std::string& value) {
  json.key(key);
  value.empty() ? json.null() : json.text(value);
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).array();
  for (const std::string& t : texts) json.text(t);
  json.close();
}

void write_assumption(JsonWriter& json, const Assumption& a) {
  json.object(JsonWriter::kOneLine).key("path").text(a.path).key("value").text(a.value);
  write_text(json, "place", a.place);
  write_text(json, "source", a.source);
  json.key("overridden").boolean(a.overridden).close();
}

void write_accuracy(JsonWriter& json, const Accuracy& a) {
  json.object(JsonWriter::kOneLine).key("metric").text(a.metric).key("text").text(a.text);
  write_text(json, "like", a.like);
  json.key("rows").number(static_cast<double>(a.rows));
  a.rows > 0 ? json.key("median").number(a.median) : json.key("median").null();
  a.rows > 0 ? json.key("p90").number(a.p90) : json.key("p90").null();
  json.close();
}

void write_quantity_or_null(JsonWriter& json, double value, Dim dim, const char* reason) {
  Metric m;
  m.value = value;
  m.dim = dim;
  m.reason = reason;
  write_cell(json, m);
}

void write_fix(JsonWriter& json, const Fix& f) {
  json.object().key("change").text(f.change).key("title").text(f.title);
  json.key("headroom");
  write_quantity_or_null(json, f.headroom, kByte, "");
  json.key("step_time");
  const char* reason = f.step_time > 0 ? "" : "the plan states no efficiency";
  write_quantity_or_null(json, f.step_time, kSecond, reason);
  json.close();
}

void write_also(JsonWriter& json, const Also& a) {
  json.object().key("convention").text(a.title).key("flags").text(a.how).key("results");
  write_cells(json, a.metrics);
  json.close();
}

void write_timeline(JsonWriter& json, const Answer& a) {
  json.key("timeline_unit").text(a.timeline_unit).key("timeline").array();
  for (const TimelinePass& t : a.timeline) {
    json.object(JsonWriter::kOneLine).key("rank").number(t.rank).key("pass").text(t.pass);
    json.key("chunk").number(t.chunk).key("micro_batch").number(t.micro_batch);
    json.key("start").number(t.start).key("end").number(t.end).close();
  }
  json.close();
}

void write_answer(JsonWriter& json, const Answer& a) {
  write_texts(json, "answer", a.lines);
  json.key("formulas").array();
  for (const Equation& e : a.equations) {
    json.object(JsonWriter::kOneLine).key("metric").text(e.metric).key("symbol").text(e.symbol);
    write_texts(json, "steps", e.steps);
    write_texts(json, "where", e.where);
    json.close();
  }
  json.close().key("also").array();
  for (const Also& other : a.also) write_also(json, other);
  json.close();
  write_texts(json, "notes", a.notes);
  if (!a.timeline.empty()) write_timeline(json, a);
  if (a.pictures.empty()) return;
  json.key("pictures").array();
  for (const Picture& p : a.pictures) {
    json.object().key("title").text(p.title);
    write_texts(json, "lines", p.lines);
    json.close();
  }
  json.close();
}

void write_mesh(JsonWriter& json, const std::vector<MeshRow>& mesh) {
  json.key("mesh").array();
  for (const MeshRow& m : mesh) {
    json.object(JsonWriter::kOneLine).key("axis").text(m.axis).key("ranks").number(m.ranks);
    json.key("apart").number(m.apart).key("in_a_node").number(m.in_node);
    json.key("over").text(m.link).close();
  }
  json.close();
}

// Bytes; times as shares of the step.
void write_curves(JsonWriter& json, const std::vector<MemoryCurve>& curves) {
  json.key("memory_over_step").array();
  for (const MemoryCurve& c : curves) {
    json.object().key("stage").number(c.stage).key("peak").number(c.peak);
    json.key("at").number(c.at).key("pass").text(c.pass).key("kept").number(c.pieces);
    json.key("points").array(JsonWriter::kOneLine);
    for (const double p : c.points) json.number(p);
    json.close().close();
  }
  json.close();
}

void write_result(JsonWriter& json, const Result& r) {
  json.object().key("schema_version").number(kSchemaVersion);
  write_text(json, "kind", r.kind);
  write_text(json, "name", r.name);
  write_text(json, "file", r.file);
  write_text(json, "case", r.case_name);
  json.key("headline").object();
  for (const auto& [key, value] : r.headline) json.key(key).text(value);
  json.close();
  json.key("results");
  write_cells(json, r.metrics);
  json.key("assumptions").array();
  for (const Assumption& a : r.assumptions) write_assumption(json, a);
  json.close();
  write_texts(json, "warnings", r.warnings);
  write_texts(json, "not_modelled", r.not_modelled);
  if (!r.mesh.empty()) write_mesh(json, r.mesh);
  if (!r.curves.empty()) write_curves(json, r.curves);
  if (!r.is_question() || !r.accuracy.empty()) {
    json.key("accuracy").array();
    for (const Accuracy& a : r.accuracy) write_accuracy(json, a);
    json.close();
  }
  if (!r.is_question()) {
    json.key("fixes").array();
    for (const Fix& f : r.fixes) write_fix(json, f);
    json.close();
  } else {
    write_answer(json, r.answer);
  }
  json.close();
}

}  // namespace

std::string eval_json(const std::vector<Result>& results) {
  JsonWriter json;
  if (results.size() != 1) json.array();
  for (const Result& r : results) write_result(json, r);
  if (results.size() != 1) json.close();
  return json.str();
}

}  // namespace reckon
