#include "reckon/report/metrics.hpp"

#include "cell.hpp"
#include "eval_sections.hpp"
#include "printable_result.hpp"
#include "reckon/base/table.hpp"
#include "reckon/report/json.hpp"

namespace reckon {
namespace {

Section section_of(const std::vector<Metric>& metrics) {
  std::vector<const Metric*> all;
  for (const Metric& m : metrics) all.push_back(&m);
  return every_metric(all, "", Canvas::for_markdown());
}

}  // namespace

std::string metrics_text(const std::vector<Metric>& metrics, const TextStyle& style) {
  return sections_text({section_of(printable_metrics(metrics))}, style);
}

std::string metrics_json(std::string_view kind, std::string_view name,
                         const std::vector<Metric>& metrics) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("kind").text(kind).key("name").text(name).key("results");
  write_cells(json, metrics);
  json.close();
  return json.str();
}

std::string metrics_csv(const std::vector<Metric>& metrics) {
  Table out({{"metric"}, {"value"}, {"unit"}, {"title"}, {"reason"}});
  for (const Metric& m : metrics) out.row({m.id, plain(m), unit_of(m), m.title, reason_of(m)});
  return out.csv();
}

std::string metrics_markdown(const std::vector<Metric>& metrics) {
  return sections_markdown({section_of(printable_metrics(metrics))});
}

}  // namespace reckon
