#include "printable_result.hpp"

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

void clean(std::string& text) { text = printable(text); }

template <class... T>
void clean_all(T&... texts) {
  (clean(texts), ...);
}

}  // namespace

std::vector<Metric> printable_metrics(std::vector<Metric> metrics) {
  for (Metric& m : metrics) clean_all(m.id, m.title, m.text, m.reason);
  return metrics;
}

Result printable_result(Result r) {
  clean_all(r.name, r.file, r.case_name, r.kind);
  for (auto& [key, value] : r.headline) clean_all(key, value);
  r.metrics = printable_metrics(std::move(r.metrics));
  for (Assumption& a : r.assumptions) clean_all(a.path, a.value, a.place, a.source);
  for (std::string& text : r.warnings) clean(text);
  for (std::string& text : r.not_modelled) clean(text);
  for (Fix& f : r.fixes) clean_all(f.change, f.title);
  return r;
}

}  // namespace reckon
