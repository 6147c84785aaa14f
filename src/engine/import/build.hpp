// A config and its record as the tree of a model, each field with what says so.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expression.hpp"
#include "reckon/doc/describe.hpp"
#include "reckon/engine/import.hpp"
#include "record.hpp"

namespace reckon::importing {

class Builder {
 public:
  Builder(const Record& record, const Config& config, bool assumed, Diagnostics& diagnostics);

  // False after a fault.
  bool run();

  doc::Value model = doc::mapping();
  std::vector<ImportedFact> facts;
  std::vector<std::string> notes;

  struct Layer {
    std::string mixer, mlp;  // names in the record
    bool operator==(const Layer&) const = default;
  };
  std::vector<Layer> layers;
  bool has_mtp = false, has_vision = false;
  const Evaluator& evaluator() const { return eval_; }
  // A mixer or MLP by its name in the record.
  const doc::Value& part(const std::string& kind, const std::string& name);
  void fact(std::string field, const Found& f);

 private:
  void requirements();
  void model_fields();
  void read_layers();
  void mtp();
  void vision();
  doc::Value make_part(const std::string& kind, const std::string& name);
  doc::Value opened(const doc::Value& all, const std::string& name, int depth);
  void set_fields(doc::Value& out, const doc::Value& said, const std::vector<Description>& fields,
                  const std::string& path, const Evaluator& eval);
  bool set_field(doc::Value& out, const Description& field, const std::string& expression,
                 Span record, const std::string& path, const Evaluator& eval);
  bool is_new(const Span& at);
  void missing(const Description& field, const std::string& expression, const std::string& path);
  Span place(const Found& f) const { return f.span ? f.span : config_.part->span; }

  const Record& record_;
  const Config& config_;
  bool assumed_;
  Diagnostics& diagnostics_;
  Evaluator eval_;
  std::map<std::string, doc::Value> parts_;  // "mixers.full"
  std::set<std::string> missing_;            // keys that have been asked for
  std::set<std::pair<int, int>> faulty_;     // places that have been reported
};

}  // namespace reckon::importing
