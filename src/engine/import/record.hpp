// Finding the record of a config: by what `architectures` says first, then by `model_type`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config.hpp"
#include "reckon/engine/workspace.hpp"
#include "reckon/spec/architecture.hpp"

namespace reckon::importing {

struct Record {
  Architecture spec;
  doc::Value tree;
  std::string file;       // as a data file is named
  std::string chosen_by;  // "architectures: LlamaForCausalLM"
};

// What a config calls itself.
struct Named {
  std::string architecture, model_type;
  Span span;  // of the architecture, or else of the type
};
Named name_of_config(const doc::Value& part);

// The record that lists the architecture or the type; nothing where none does. Faults in records are reported.
std::optional<Record> record_by_architecture(Workspace& work, const std::string& word,
                                             Diagnostics& diagnostics);
std::optional<Record> record_by_type(Workspace& work, const std::string& word,
                                     Diagnostics& diagnostics);
std::optional<Record> record_called(Workspace& work, const std::string& id, Span said,
                                    Diagnostics& diagnostics);

// Every word that the record's expressions look up.
std::set<std::string> words_of_record(const Record& record);

// What holds for all: presets/import.yaml, and presets/quantization.yaml for files that quantize.
std::optional<ImportRules> import_rules(Workspace& work, Diagnostics& diagnostics);
std::optional<QuantizationRules> quantization_rules(Workspace& work, Diagnostics& diagnostics);

}  // namespace reckon::importing
