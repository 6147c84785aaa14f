#include "reckon/report/model.hpp"

#include <filesystem>
#include <sstream>

#include "golden.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/metrics.hpp"

using namespace reckon;

namespace {

ModelReport model(const std::string& name) {
  Workspace work({std::filesystem::path(RECKON_SOURCE_DIR)});
  Diagnostics faults;
  ModelReport out = report_model(work, {name, "8192", "1", "bf16"}, faults);
  INFO(faults.render());
  REQUIRE_FALSE(faults.has_errors());
  return out;
}

}  // namespace

TEST_CASE("models of each kind, as they are shown") {
  check_golden("model_dense.txt", model_text(model("llama-3-8b")));
  check_golden("model_experts.txt", model_text(model("deepseek-v3")));
  check_golden("model_abstract.txt", model_text(model("7B")));
  check_golden("model_dense.json", model_json(model("llama-3-8b")));
  check_golden("model_dense.md", model_markdown(model("llama-3-8b")));
}

TEST_CASE("a model's text shows every metric, in its width") {
  for (const char* name : {"llama-3-8b", "deepseek-v3"}) {
    const ModelReport r = model(name);
    const std::string text = model_text(r);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(columns(line) <= 80);
    for (std::size_t i = 0; i < r.metrics.size(); ++i) {
      ModelReport other = r;
      other.metrics[i].value = 1.3571 * r.metrics[i].value + 1.2345;
      INFO(r.metrics[i].id);
      CHECK(model_text(other) != text);
    }
  }
}

TEST_CASE("a list of metrics in four formats") {
  Metric size;
  size.id = "memory.total";
  size.title = "memory | of a GPU";
  size.value = 21.9e9;
  size.dim = kByte;
  Metric cost;
  cost.id = "run.cost";
  cost.title = "cost";
  cost.dim = kUsd;
  cost.reason = "add price:";
  const std::vector<Metric> metrics{size, cost};
  CHECK(metrics_text(metrics) ==
        "  metric          value  what it is\n"
        "  memory.total  21.9 GB  memory | of a GPU\n"
        "  run.cost            –  cost: add price:\n");
  CHECK(metrics_csv(metrics) ==
        "metric,value,unit,title,reason\n"
        "memory.total,21900000000,B,memory | of a GPU,\n"
        "run.cost,,USD,cost,add price:\n");
  CHECK(metrics_markdown(metrics) ==
        "| metric | value | what it is |\n"
        "| --- | ---: | --- |\n"
        "| memory.total | 21.9 GB | memory \\| of a GPU |\n"
        "| run.cost | – | cost: add price: |\n");
  CHECK(metrics_json("question", "a name", metrics) ==
        "{\n"
        "  \"schema_version\": 1,\n"
        "  \"kind\": \"question\",\n"
        "  \"name\": \"a name\",\n"
        "  \"results\": {\n"
        "    \"memory.total\": {\"value\": 21900000000, \"unit\": \"B\"},\n"
        "    \"run.cost\": {\"value\": null, \"unit\": \"USD\", \"reason\": \"add price:\"}\n"
        "  }\n"
        "}\n");
}
