// Kinds of file that reckon reads, what each may say, and its JSON Schema.
//
//   const FileKind* kind = file_kind("training");
//   doc::write_json(file_schema(*kind))      // for editors
//   reference_table(in_files(*kind))         // docs/file-formats.md
//
// A struct's field description says what is bound; a file may say more: `kind:`, `cases:`, `expect:`, a name in place
// of a group, an abstract model's `heads:`, `recompute: {modules: […]}`, `base:`. Both are made here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/doc/describe.hpp"

namespace reckon {

// A file of data; a plan, which may leave much to presets and to its cases; a part of a plan's file.
enum class FileRole { kData, kPlan, kPart };

struct FileKind {
  std::string word, folder, what;
  FileRole role = FileRole::kData;
  std::function<Description()> description;
  bool based = false;  // `base: NAME` at its top: what it says is laid over that file
  std::vector<std::string_view> blocks =
      {};  // lists that may be one block of words (text_list.hpp)
};

const std::vector<FileKind>& file_kinds();
const FileKind* file_kind(std::string_view word);  // nullptr if there is none

// The description with what only files may say, inside its groups: the abstract model's keys, a cluster's `gpus:`.
Description in_files(const FileKind& kind);

// A document that accepts every file of the kind that reckon accepts, and refuses a misspelt key.
doc::Value file_schema(const FileKind& kind);

}  // namespace reckon
