#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tables.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

bool is_nccl_tests(std::string_view text) {
  return text.find("out-of-place") != text.npos && text.find("algbw") != text.npos;
}

// A file of ours says its chip and kernels itself: what the command line says beside it must agree.
void check_facts(const std::vector<MeasuredSet>& sets, const FileFacts& facts, Diagnostics& d) {
  if (sets.empty()) return;
  const MeasuredSet& first = sets.front();
  if (!facts.chip.empty() && facts.chip != kChipToWrite && !first.chip.empty() &&
      facts.chip != first.chip)
    d.error(first.span, fmt::format("{} was measured on {}, and --chip says {}", first.file,
                                    first.chip, facts.chip))
        .help("leave --chip out: the file says which chip it is");
  stands_alone(facts, first.file, first.span, d);
}

bool is_nvbandwidth_text(std::string_view text) {
  return text.starts_with("nvbandwidth Version") || text.find("\nnvbandwidth Version") != text.npos;
}

std::vector<MeasuredSet> read_tree(doc::Value tree, const FileFacts& facts,
                                   Diagnostics& diagnostics, std::vector<std::string>& notes) {
  if (tree.find("nccl_version") && tree.find("config"))
    return read_nccl_tests_json(tree, facts, diagnostics, notes);
  if (tree.find("nvbandwidth")) return read_nvbandwidth(tree, facts, diagnostics, notes);
  const doc::Value* kind = tree.find("kind");
  if (kind && kind->text == "bench") return read_bench(std::move(tree), facts, diagnostics, notes);
  if (kind && kind->text != "measurements") {
    diagnostics.error(
        kind->span, fmt::format("expected a file of kind measurements, found kind {}", kind->text));
    return {};
  }
  if (!kind) {
    diagnostics.error(tree.span, "this file holds no measurements: it has no kind: measurements")
        .help(
            "our own tables (measurements/README.md), reckon-bench's JSON, and nccl-tests', "
            "nvbandwidth's and CSV output are read");
    return {};
  }
  std::vector<MeasuredSet> out = read_tables(std::move(tree), diagnostics);
  check_facts(out, facts, diagnostics);
  return out;
}

}  // namespace

std::vector<MeasuredSet> read_measured(Workspace& work, const std::string& file,
                                       const FileFacts& facts, Diagnostics& diagnostics,
                                       std::vector<std::string>& notes) {
  std::string text;
  if (!read_file(file, text)) {
    std::error_code error;
    diagnostics.error({}, fmt::format("{} {}", file,
                                      fs::is_directory(file, error) ? "is a folder"
                                      : fs::exists(file, error)     ? "can't be read"
                                                                    : "does not exist"));
    return {};
  }
  const std::size_t before = diagnostics.error_count();
  std::vector<MeasuredSet> out;
  if (is_nccl_tests(text)) {
    out = read_nccl_tests(work.sources().add(file, std::move(text)), facts, diagnostics, notes);
  } else if (is_nvbandwidth_text(text)) {
    out = read_nvbandwidth(nvbandwidth_tree(work.sources().add(file, std::move(text))), facts,
                           diagnostics, notes);
  } else if (file.ends_with(".csv")) {
    out = read_csv(work.sources().add(file, std::move(text)), facts, diagnostics, notes);
  } else {
    doc::Value tree = work.read_text(file, std::move(text), diagnostics);
    if (diagnostics.error_count() > before) return {};
    if (!tree.is_mapping()) {
      diagnostics.error(tree.span,
                        fmt::format("{} holds {}, not measurements", file, doc::kind_of(tree)));
      return {};
    }
    out = read_tree(std::move(tree), facts, diagnostics, notes);
  }
  if (diagnostics.error_count() > before) return {};
  return out;
}

std::vector<MeasuredSet> bundled_measurements(Workspace& work, Diagnostics& diagnostics) {
  std::vector<MeasuredSet> out;
  std::set<std::string> seen;
  for (const fs::path& root : work.roots()) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "measurements", error))
      if (entry.path().extension() == ".yaml" && entry.path().stem() != "budgets")
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (!seen.insert(file.filename().string()).second) continue;
      doc::Value tree = work.read_data(file, {}, diagnostics);
      if (!tree.is_mapping()) continue;
      std::vector<std::string> notes;
      for (MeasuredSet& set : read_tree(std::move(tree), {}, diagnostics, notes))
        out.push_back(std::move(set));
    }
  }
  return out;
}

}  // namespace reckon
