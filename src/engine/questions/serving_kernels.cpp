#include "serving_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/load.hpp"

namespace reckon {
namespace {

using doc::Value;

const Value* mapping_at(const Value& tree, std::string_view key) {
  const Value* v = tree.find(key);
  return v && v->is_mapping() ? v : nullptr;
}

std::string chip_of(const Value& cluster) {
  const Value* chip = cluster.at("node.chip");
  return chip && chip->is_mapping() ? said(*chip, "id") : "";
}

// The engine as it is on a chip; `stand_in`: whose kernels serve where the chip has none.
Value engine_on(const Value& engine, const std::string& chip, std::string& stand_in) {
  Value out = engine;
  const Value* chips = mapping_at(engine, "chips");
  const Value* own = chips ? mapping_at(*chips, chip) : nullptr;
  if (!own) return out;
  Value over = *own;
  stand_in = said(over, "kernels");
  std::erase_if(over.entries, [](const doc::Entry& e) { return e.key == "kernels"; });
  doc::merge(out, over);
  return out;
}

bool lists(const Value& rule, const std::string& chip) {
  const Value* chips = rule.find("chips");
  if (!chips || chips->is_null()) return true;
  return std::any_of(chips->items.begin(), chips->items.end(),
                     [&chip](const Value& v) { return v.text == chip; });
}

const Value* rule_for(const Value& engine, const std::string& weights, const std::string& chip) {
  const Value* rules = engine.find("operands");
  if (!rules) return nullptr;
  for (const Value& rule : rules->items)
    if (said(rule, "weights") == weights && lists(rule, chip)) return &rule;
  return nullptr;
}

// Files of kernels to look into, nearest first.
class KernelFiles {
 public:
  KernelFiles(Workspace& work, const std::string& chip, const std::string& stand_in, bool ideal,
              Diagnostics& d) {
    for (const std::string& name : ideal ? std::vector<std::string>{"ideal"}
                                         : std::vector<std::string>{chip, stand_in, "generic"}) {
      if (name.empty() || work.find(Shelf::kKernels, name).empty()) continue;
      if (const Value* file = work.load(Shelf::kKernels, name, {}, d))
        files_.push_back({name, file});
    }
  }

  const Value* file(std::string_view name) const {
    for (const auto& [id, tree] : files_)
      if (id == name) return tree;
    return nullptr;
  }

  // The first entry that `fits`, and whose file it is of.
  template <class Fits>
  const Value* find(std::string_view list, Fits fits, std::string* whose = nullptr) const {
    for (const auto& [name, file] : files_) {
      const Value* entries = file->find(list);
      if (!entries) continue;
      for (const Value& e : entries->items) {
        if (!fits(e)) continue;
        if (whose) *whose = name;
        return &e;
      }
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, const Value*>> files_;
};

std::string format_of_class(const Value& tree, const char* name) {
  if (const Value* classes = mapping_at(tree, "classes"))
    if (const Value* own = mapping_at(*classes, name)) return said(*own, "name");
  const Value* weights = mapping_at(tree, "weights");
  return weights ? said(*weights, "name") : "";
}

Span span_of_class(const Value& tree, const char* name) {
  if (const Value* classes = mapping_at(tree, "classes"))
    if (const Value* own = mapping_at(*classes, name)) return own->span;
  const Value* weights = mapping_at(tree, "weights");
  return weights ? weights->span : tree.span;
}

class Filler {
 public:
  Filler(const Value& tree, const Value& engine, std::string chip, const KernelFiles& from,
         Diagnostics& d)
      : tree_(tree), engine_(engine), chip_(std::move(chip)), from_(from), diagnostics_(d) {}

  Value fill(const Value* over) {
    Value out = doc::mapping(tree_.span);
    const Value* model = mapping_at(tree_, "model");
    const bool tied = model && (said(*model, "tied") == "yes" || said(*model, "tied") == "true");
    product("attention", "attention", out);
    product("mlp", "mlp", out);
    product("experts", "experts", out);
    product("head", tied ? "embedding" : "head", out);
    const Value* reduce = mapping_at(engine_, "all_reduce");
    const Value* settings = mapping_at(tree_, "settings");
    std::string small = reduce ? said(*reduce, "small") : "";
    const std::string large = reduce ? said(*reduce, "large", "NCCL") : "NCCL";
    if (settings && !said(*settings, "all_reduce").empty()) {
      small = said(*settings, "all_reduce");
      const bool known = small == "none" || small == "NCCL" || curve(small);
      if (!known)
        diagnostics_
            .error(settings->find("all_reduce")->span,
                   fmt::format("no all-reduce of library '{}' was measured on {}", small, chip_))
            .help("none takes NCCL alone; `reckon show " + chip_ +
                  "` of hardware/kernels lists them");
    }
    if (large != "link") {
      if (const Value* c = small.empty() || small == "none" ? nullptr : curve(small))
        doc::set(out, "small", *c);
      if (const Value* c = curve(large)) doc::set(out, "large", *c);
    }
    if (over) lay_stated(*over, out);
    return out;
  }

 private:
  // What the plan states of an entry; entries that were filled in before name their library.
  static void lay_stated(const Value& over, Value& out) {
    for (const doc::Entry& e : over.entries) {
      Value* at = out.find(e.key);
      if (at && at->is_mapping() && e.value.is_mapping() && !e.value.find("library") &&
          !e.value.find("kernel"))
        doc::merge(*at, e.value);
    }
  }

  const Value* curve(const std::string& library) const {
    return from_.find("collectives", [&](const Value& e) {
      return said(e, "op") == "all-reduce" && said(e, "library").starts_with(library);
    });
  }

  const Value* kernel(const std::string& format, std::string& whose) const {
    const std::string library = said(engine_, "library");
    const auto of = [&](const std::string& f, const std::string& lib) {
      return from_.find(
          "gemm",
          [&](const Value& e) {
            return said(e, "format") == f && (lib.empty() || said(e, "library").starts_with(lib));
          },
          &whose);
    };
    if (const Value* e = of(format, library)) return e;
    if (const Value* e = of(format, "")) return e;
    return format == "bf16" ? of("fp16", "") : nullptr;
  }

  void product(const char* field, const char* tensors, Value& out) {
    const std::string weights = format_of_class(tree_, tensors);
    if (weights.empty()) return;
    const Value* rule = rule_for(engine_, weights, chip_);
    if (!rule) {
      if (!said_.insert(weights).second) return;
      diagnostics_
          .error(span_of_class(tree_, tensors),
                 fmt::format("engine '{}' multiplies no {} weights on {}",
                             said(engine_, "id", "given"), weights, chip_))
          .help("it knows " + known_formats());
      return;
    }
    std::string whose;
    const std::string format = said(*rule, "kernel");
    const Value* k = kernel(format, whose);
    if (!k) {
      diagnostics_
          .error(rule->span, fmt::format("no kernel multiplies {} in hardware/kernels", format))
          .help("reckon calibrate kernels FILE writes one from measured times");
      return;
    }
    if (whose == "generic" && said_.insert("generic " + format).second)
      warn_of_stand_in(*from_.file(whose), "matrix product in " + format, chip_,
                       span_of_class(tree_, tensors), diagnostics_);
    doc::set(out, field, *k);
    doc::set(out, std::string(field) + "_rule", *rule);
  }

  std::string known_formats() const {
    std::vector<std::string> names;
    if (const Value* rules = engine_.find("operands"))
      for (const Value& r : rules->items)
        if (lists(r, chip_) &&
            std::find(names.begin(), names.end(), said(r, "weights")) == names.end())
          names.push_back(said(r, "weights"));
    return join(names, ", ");
  }

  const Value &tree_, &engine_;
  std::string chip_;
  const KernelFiles& from_;
  Diagnostics& diagnostics_;
  std::set<std::string> said_;
};

void fill_side(Workspace& work, const Value& tree, const Value& cluster, const Value& usual,
               Value& to, Diagnostics& d) {
  const std::string chip = chip_of(cluster);
  std::string stand_in;
  Value engine = engine_on(usual, chip, stand_in);
  const bool ideal = said(engine, "library") == "ideal";
  const KernelFiles from(work, chip, stand_in, ideal, d);
  const Value* over = mapping_at(to, "kernels");
  doc::set(to, "kernels", Filler(tree, engine, chip, from, d).fill(over));
  doc::set(to, "engine", std::move(engine));
}

// A prefill worker has the plan's ranks where it states none of its own.
void lay_ranks(const Value& tree, Value& pool) {
  for (const char* key : {"tensor", "data", "pipeline", "expert"}) {
    const Value *own = pool.find(key), *of_plan = tree.find(key);
    if (of_plan && !of_plan->is_null() && (!own || own->is_null())) {
      const Value ranks = *of_plan;
      doc::set(pool, key, ranks);
    }
  }
}

}  // namespace

void fill_serving(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  Value* said_engine = tree.find("engine");
  if (!said_engine || said_engine->is_null()) return;
  *said_engine = resolve_engine(work, *said_engine, diagnostics);
  const Value* cluster = mapping_at(tree, "cluster");
  const Value* engine = mapping_at(tree, "engine");
  if (!cluster || !engine) return;
  const Value usual = *engine;
  if (Value* pool = tree.find("prefill"); pool && pool->is_mapping()) {
    lay_ranks(tree, *pool);
    if (Value* own = pool->find("cluster"); own && !own->is_null()) {
      *own = resolve_cluster(work, *own, diagnostics);
      if (own->is_mapping()) {
        const Value where = *own;
        fill_side(work, tree, where, usual, *pool, diagnostics);
      }
    }
  }
  const Value where = *mapping_at(tree, "cluster");
  fill_side(work, tree, where, usual, tree, diagnostics);
}

}  // namespace reckon
