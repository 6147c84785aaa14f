// reckon schema [KIND]: what a kind of file may say, as JSON Schema for editors or as tables for people.
#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/doc/reference.hpp"
#include "reckon/engine/file_kinds.hpp"

namespace reckon::cli {
namespace {

std::string section(const FileKind& k) {
  return fmt::format("## {}\n\n{} `kind: {}`, in `{}`.\n\n{}", k.word, k.what, k.word, k.folder,
                     reference_table(in_files(k)));
}

std::string all_sections() {
  std::string out =
      "# File formats\n\n"
      "Written by `reckon schema all --format md` from the field descriptions in "
      "include/reckon/spec. A number is written with its\n"
      "unit, or as `{value: …, source: …}`; a name stands for a file; `{base: NAME, field: …}` "
      "overrides a field of one. A plan may\n"
      "also carry `expect:` and `cases:` (plans/README.md), and `chip:`, `node:`, `fabric:`, "
      "`price:` at its top: `reckon schema KIND` prints a JSON Schema that knows them, for an "
      "editor.\n";
  for (const FileKind& k : file_kinds()) out += "\n" + section(k);
  return out;
}

}  // namespace

std::vector<std::string> words_of_schema() {
  std::vector<std::string> out{"all"};
  for (const FileKind& k : file_kinds()) out.push_back(k.word);
  return out;
}

int schema(Session& session, const Shared& shared, const SchemaOptions& options) {
  const bool md = shared.format == Format::kMarkdown;
  if (options.kind == "all" && md) {
    session.print(all_sections());
    return kOk;
  }
  if (options.kind == "all") {
    session.diagnostics()
        .error({}, "schema: all kinds together are printed as Markdown")
        .help("add --format md, or name one kind");
    session.report_faults();
    return kUsage;
  }
  std::vector<std::string> words;
  for (const FileKind& k : file_kinds()) {
    words.emplace_back(k.word);
    if (options.kind != k.word) continue;
    if (shared.format == Format::kCsv) {
      session.diagnostics().error({}, "schema: no CSV of it").help("--format json or md");
      break;
    }
    session.print(md ? section(k) : doc::write_json(file_schema(k)) + "\n");
    return kOk;
  }
  if (!session.diagnostics().has_errors()) {
    auto& fault = session.diagnostics().error(
        {}, fmt::format("no kind of file is called '{}'", options.kind));
    const std::string near = closest(options.kind, words);
    fault.help(near.empty()
                   ? fmt::format("one of {}; or all with --format md", fmt::join(words, ", "))
                   : fmt::format("did you mean '{}'?", near));
  }
  session.report_faults();
  return kUsage;
}

}  // namespace reckon::cli
