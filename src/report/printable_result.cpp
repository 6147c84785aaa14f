#include "printable_result.hpp"

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

void clean(std::string& text) { text = printable(text); }

template <class... T>
void clean_all(T&... texts) {
  (clean(texts), ...);
}

void clean_texts(std::vector<std::string>& texts) {
  for (std::string& text : texts) clean(text);
}

void clean_grid(Grid& g) {
  clean_all(g.title, g.corner);
  for (std::vector<Grid::Part>* parts : {&g.columns, &g.rows})
    for (Grid::Part& p : *parts) clean_all(p.id, p.title, p.note);
}

}  // namespace

std::vector<Metric> printable_metrics(std::vector<Metric> metrics) {
  for (Metric& m : metrics) clean_all(m.id, m.title, m.text, m.reason);
  return metrics;
}

namespace {

void clean_answer(Answer& a) {
  clean_texts(a.lines);
  clean_texts(a.notes);
  for (Equation& e : a.equations) {
    clean_all(e.metric, e.symbol);
    clean_texts(e.steps);
    clean_texts(e.where);
  }
  for (Grid& g : a.grids) clean_grid(g);
  for (Also& other : a.also) {
    clean_all(other.title, other.how);
    other.metrics = printable_metrics(std::move(other.metrics));
  }
  for (Picture& p : a.pictures) {
    clean(p.title);
    clean_texts(p.lines);
  }
}

}  // namespace

Result printable_result(Result r) {
  clean_all(r.name, r.file, r.case_name, r.kind);
  for (auto& [key, value] : r.headline) clean_all(key, value);
  r.metrics = printable_metrics(std::move(r.metrics));
  for (Assumption& a : r.assumptions) clean_all(a.path, a.value, a.place, a.source);
  for (std::string& text : r.warnings) clean(text);
  for (std::string& text : r.not_modelled) clean(text);
  for (MeshRow& m : r.mesh) clean_all(m.axis, m.link);
  for (std::string& text : r.memory_notes) clean(text);
  for (Accuracy& a : r.accuracy) clean_all(a.metric, a.text, a.like);
  for (Fix& f : r.fixes) clean_all(f.change, f.title);
  clean_answer(r.answer);
  return r;
}

}  // namespace reckon
