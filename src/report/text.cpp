#include "reckon/report/text.hpp"

#include <algorithm>

#include "eval_sections.hpp"
#include "printable_result.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

std::string painted(const std::string& line, const std::string& verdict, const Paint& paint) {
  if (verdict == "fits") return paint.good(line);
  if (verdict == "does not fit") return paint.bad(line);
  return paint.caution(line);
}

// The first lines are coloured by the verdict, each on its own so that no escape spans lines.
std::string answer_text(Reader& r, const Canvas& canvas) {
  std::string out;
  const std::string verdict = r.text("memory.verdict");
  for (const std::string& line : answer(r)) {
    const std::string wrapped = wrap(line, canvas.width - 2, "  ");
    out += "  " + (out.empty() ? painted(wrapped, verdict, canvas.paint) : wrapped) + '\n';
  }
  return out;
}

std::string warnings_text(const Result& result, const Canvas& canvas) {
  std::string out;
  for (const std::string& w : result.warnings)
    out += canvas.paint.caution("warning:") +
           wrap("warning: " + w, canvas.width, "  ").substr(sizeof "warning:" - 1) + '\n';
  return out;
}

}  // namespace

std::string eval_text(const Result& original, const TextStyle& style) {
  const Result result = printable_result(original);
  Reader reader(result);
  const Canvas canvas{
      .width = style.usable_width(), .verbose = style.verbose, .paint = {style.colour}};
  std::string out = canvas.paint.bold(title_of(result)) + '\n';
  out += sections_text({headline_section(reader, canvas)}, style);
  if (const std::string lines = answer_text(reader, canvas); !lines.empty()) out += '\n' + lines;
  out += warnings_text(result, canvas);
  return out + '\n' + sections_text(eval_sections(reader, canvas), style);
}

const std::vector<std::string_view>& left_out_of_text() {
  static const std::vector<std::string_view> ids{
      // in words in the headline and the verdict
      "cluster.gpus", "cluster.nodes", "mesh.data", "batch.*", "fits", "memory.shortfall",
      // counts that stand behind others
      "parameters.*", "flops.per_token.*", "comm.*.step_bytes",
      // who talks to whom, over what: the mesh says it, and a table of its own if verbose
      "comm.*.link", "comm.*.in_node", "comm.*.ranks", "comm.*.operation", "comm.*.behind",
      "comm.*.exposed_share",
      // of each stage, where a terminal is narrow
      "memory.stage.*.reserve", "memory.stage.*.parameters", "memory.stage.*.buffers",
      // of the state without ZeRO, or of a part of it
      "memory.states_unsharded", "memory.weights_unsharded", "memory.after_states", "memory.host.*",
      "memory.optimizer_bytes_per_param", "memory.optimizer_over_weights"};
  return ids;
}

}  // namespace reckon
