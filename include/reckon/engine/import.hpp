// A Hugging Face config.json as a model, with the facts of its architecture that no config states.
//
//   Imported in = import_model(work, "llama/config.json", {}, diagnostics);
//   in.model                  // the tree of a model, as a file of models/ holds it
//   in.facts                  // where each field comes from: stated, class default, derived, assumed
//
// The facts are data: models/architectures/*.yaml by architecture, presets/import.yaml for all. An architecture without
// a record is refused, unless `assume` names the record whose facts are taken; the model then carries `assumed`. A key
// that bears on cost and that the record doesn't know stops the import.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/workspace.hpp"

namespace reckon {

struct ImportRequest {
  std::string assume = {};        // a record's id, for an architecture that has none
  std::string name = {};          // as people call it; from the file if empty
  std::string source = {};        // of the config
  std::string published = {};     // a count that a source prints: `files` is set so that it is met
  std::string active = {};        // and of active parameters
  std::string count_source = {};  // where they are printed
};

// A field of the model and what says so.
struct ImportedFact {
  std::string field, value, from, how,
      place;  // "hidden", "4096", "stated", "hidden_size", "config.json:9"
};

struct Imported {
  doc::Value model;    // null after a fault
  std::string record;  // "llama (models/architectures/llama.yaml)"
  std::string chosen_by;
  std::vector<ImportedFact> facts;
  std::vector<std::string> ignored;  // keys that change no cost
  std::vector<std::string> unknown;  // keys that nobody knows
  std::vector<std::string> notes;    // what was left out, and what the files hold
  std::string unexplained;           // the published count is not met: by how much
};

// The config that a name stands for, said in the file `beside`; empty if it stands for a model of our own.
// A path to JSON is a config unless it has our keys (kind, layers, params) and none of theirs; so
// is a path to a folder.
std::filesystem::path config_called(Workspace& work, std::string_view name,
                                    std::string_view beside);

Imported import_model(Workspace& work, const std::string& file, Span said,
                      const ImportRequest& request, Diagnostics& diagnostics);

// The file of models/ that says the same, commented where it is not stated.
std::string model_file_text(const Imported& imported);

}  // namespace reckon
