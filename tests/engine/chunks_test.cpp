// Chunks of an interleaved schedule: which layers they may divide, and what is said where they don't.
#include <fmt/format.h>

#include "data.hpp"

namespace reckon {
namespace {

// The faults of a plan of Llama 3 (80 or 126 layers) with so many stages and chunks a stage.
std::string faults(const char* model, int stages, int chunks) {
  Diagnostics diagnostics;
  doc::Value tree =
      test::data().read_text(fmt::format("{}-{}-{}.yaml", model, stages, chunks),
                             fmt::format("model: {}\n"
                                         "cluster: {{node: hgx-h100, nodes: {}}}\n"
                                         "mesh: {{tensor: 8, pipeline: {}}}\n"
                                         "schedule: {{kind: interleaved, chunks: {}}}\n"
                                         "batch: {{global: {}, micro: 1, sequence: 8192}}\n",
                                         model, stages, stages, chunks, 2 * stages),
                             diagnostics);
  load_training(test::data(), std::move(tree), diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += d.message + "\n" + d.help_text + "\n";
  return out;
}

TEST_CASE("Chunks divide the layers, or the layers and two that embedding and head stand in for") {
  CHECK(faults("llama-3-70b", 4, 5) == "");
  CHECK(faults("llama-3-405b", 9, 7) == "");
  for (const int chunks : {2, 4, 8}) CHECK(faults("llama-3-405b", 16, chunks) == "");
}

const std::string kUneven = "; or play chunks as uneven as they come: schedule: {played: yes}\n";

TEST_CASE("Chunks that divide neither are refused, with the nearest that do") {
  CHECK(faults("llama-3-70b", 4, 3) ==
        "4 stages · 3 chunks do not divide 80 layers\nnearest chunks that work: 2 and 4" + kUneven);
  CHECK(faults("llama-3-405b", 16, 3) ==
        "16 stages · 3 chunks do not divide 126 layers\nnearest chunks that work: 2 and 4" +
            kUneven);
  // 9 stages divide 126 layers, so the two extra ones don't count: 14 layers a stage.
  CHECK(faults("llama-3-405b", 9, 4) ==
        "9 stages · 4 chunks do not divide 126 layers\nnearest chunks that work: 2 and 7" +
            kUneven);
  CHECK(faults("llama-3-405b", 12, 2) ==
        "12 stages · 2 chunks do not divide 126 layers\n"
        "choose a pipeline degree that divides the layers: 9 and 14" +
            kUneven);
}

}  // namespace
}  // namespace reckon
