// A question from its description: struct Q<R> in spec/questions, `answer(const Q<R>&)` in cost/questions, and here
// what is legal, what is said of the answer, and which other conventions are worth showing.
//
//   class Pipeline : public QuestionOf<PipelineQuestion> {
//     const QuestionInfo& info() const override;
//     void legal(const Input&, const Asked&) const override;
//     void say(const Input&, const Output&, Result&) const override;
//     std::vector<Alternative> alternatives(const Input&) const override;
//   };
//
// Fields are looked up by their type: a Model is a name in models/, a Cluster `64xh100-sxm`, a Stored a format,
// Assume a preset.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../assumed.hpp"
#include "../collect.hpp"
#include "../idle.hpp"
#include "../parts.hpp"
#include "../places.hpp"
#include "reckon/doc/set_member.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/law.hpp"
#include "reckon/spec/lift.hpp"
#include "reckon/spec/stack.hpp"

namespace reckon {

// Another convention: the same question with some fields changed, and the metrics to show.
struct Alternative {
  std::string title;
  std::vector<std::pair<std::string, std::string>> sets;  // "assume.ring_factor", "drop"
  std::vector<std::string> metrics;
};

// Where a question's fields were stated, and where its faults go.
struct Asked {
  const Places& places;
  Diagnostics& diagnostics;
  std::size_t errors_before = diagnostics.error_count();  // of other files, say
  bool failed() const { return diagnostics.error_count() > errors_before; }
  Diagnostic& fault(std::string_view path, std::string message) const {
    return diagnostics.error(places.of(path), std::move(message));
  }
};

// presets/defaults.yaml for precision, optimizer and assume, where a question has them.
void fill_defaults(Workspace& work, const std::vector<std::string>& keys, doc::Value& tree,
                   Diagnostics& diagnostics);

// `--assume ring_factor=drop`, `--ranks 8`.
std::string as_flags(const std::vector<std::pair<std::string, std::string>>& sets);

// Sets one field of a resolved tree.
bool set_field(doc::Value& tree, const std::string& path, const std::string& value, Workspace& work,
               Diagnostics& diagnostics);

// How a field is looked up, by its type.
enum class LookUp {
  kNone,
  kModel,
  kPrecision,
  kOptimizer,
  kFormat,
  kClasses,
  kChip,
  kAssume,
  kLaw,
  kStack
};

struct QuestionField {
  std::string_view name;
  LookUp how;
  bool optional;
  const Model<double>* model;  // null where it is none, or none was stated
};

// The names of a question's fields looked up in `tree`, after presets/defaults.yaml filled in what is not stated.
void look_up_all(Workspace& work, const std::vector<QuestionField>& fields, doc::Value& tree,
                 Diagnostics& d);
// One field of the question's own, by its name; the cluster has been looked up with the chip and node laid over it.
void look_up(Workspace& work, const std::vector<QuestionField>& fields, std::string_view name,
             doc::Value& tree, Diagnostics& d);
void check_models(const std::vector<QuestionField>& fields, const Loaded& loaded, Diagnostics& d);

namespace detail {

template <class T>
constexpr LookUp look_up_of() {
  if constexpr (Element<T>::optional) {
    return look_up_of<typename Element<T>::type>();
  } else if constexpr (std::is_same_v<T, Model<double>>) {
    return LookUp::kModel;
  } else if constexpr (std::is_same_v<T, Precision<double>>) {
    return LookUp::kPrecision;
  } else if constexpr (std::is_same_v<T, Optimizer<double>>) {
    return LookUp::kOptimizer;
  } else if constexpr (std::is_same_v<T, Stored<double>>) {
    return LookUp::kFormat;
  } else if constexpr (std::is_same_v<T, TensorFormats<double>>) {
    return LookUp::kClasses;
  } else if constexpr (std::is_same_v<T, Chip<double>>) {
    return LookUp::kChip;
  } else if constexpr (std::is_same_v<T, Assume<double>>) {
    return LookUp::kAssume;
  } else if constexpr (std::is_same_v<T, Law<double>>) {
    return LookUp::kLaw;
  } else if constexpr (std::is_same_v<T, Stack<double>>) {
    return LookUp::kStack;
  } else {
    return LookUp::kNone;
  }
}

template <class T>
const Model<double>* model_in(const T& member) {
  if constexpr (std::is_same_v<T, Model<double>>) {
    return &member;
  } else if constexpr (std::is_same_v<T, std::optional<Model<double>>>) {
    return member ? &*member : nullptr;
  } else {
    return nullptr;
  }
}

}  // namespace detail

// A question's fields, in one visit: each visit of all fields takes the compiler half a second.
template <class Q>
std::vector<QuestionField> fields_of(const Q& question) {
  std::vector<QuestionField> out;
  Q::fields(
      [&](const Field& f, const auto& member) {
        using T = std::decay_t<decltype(member)>;
        out.push_back({f.name, detail::look_up_of<T>(), detail::Element<T>::optional,
                       detail::model_in(member)});
      },
      question);
  return out;
}

template <template <class> class Q>
class QuestionOf;

template <template <class> class Q>
class LoadedQuestion : public Loaded {
 public:
  explicit LoadedQuestion(const QuestionOf<Q>& kind) : kind_(kind) {}
  Q<double> question;

  Result result(Workspace& work) const override { return kind_.result(work, *this); }
  std::vector<Metric> metrics(Workspace&) const override {
    std::vector<Metric> out;
    answer(question).metrics(Collect(out));
    return out;
  }
  Judged judged(Workspace&) const override { return kind_.judged(question); }
  bool at(const Changes& changes, Judged& out, Diagnostics& d) const override {
    return kind_.at(*this, changes, out, d);
  }
  std::shared_ptr<const void> record(const Recording& run,
                                     std::vector<Metric>& metrics) const override {
    auto traced = std::make_shared<Q<Traced>>(lift(question, run));
    answer(*traced).metrics(Collect(metrics));
    return traced;
  }

 private:
  const QuestionOf<Q>& kind_;
};

template <template <class> class Q>
class QuestionOf : public Question {
 public:
  using Input = Q<double>;
  using Output = decltype(answer(std::declval<const Q<double>&>()));

  Description describe() const override { return reckon::describe<Q<double>>(); }

  std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                               Diagnostics& diagnostics) const override {
    const std::size_t before = diagnostics.error_count();
    resolve(work, tree, diagnostics);
    auto out = bound(std::move(tree), diagnostics, before);
    if (out) warn_of_idle_flags(*out, diagnostics, steers(out->question));
    return out;
  }

  Result result(Workspace& work, const LoadedQuestion<Q>& loaded) const {
    Result r;
    r.name = loaded.question.name;
    r.file = loaded.file;
    r.case_name = loaded.case_name;
    r.kind = std::string(word());
    r.warnings = loaded.warnings;
    const Output out = answer(loaded.question);
    out.metrics(Collect(r.metrics));
    list_assumptions(loaded, loaded.question.assume, info().assumptions, r.assumptions);
    say(loaded.question, out, r);
    beside(work, loaded, out, r);
    for (const Alternative& a : alternatives(loaded.question)) also(work, loaded, a, r);
    return r;
  }

  // The metrics of the answer alone; what is said of it decides whether it is a no.
  Judged judged(const Input& q) const {
    Result r;
    r.name = q.name;
    r.kind = std::string(word());
    const Output out = answer(q);
    out.metrics(Collect(r.metrics));
    const std::size_t own = r.metrics.size();
    say(q, out, r);
    r.metrics.resize(own);
    return {std::move(r.metrics), std::move(r.no)};
  }

  bool at(const LoadedQuestion<Q>& loaded, const Changes& changes, Judged& out,
          Diagnostics& d) const {
    if (fills()) return false;
    const std::size_t before = d.error_count();
    Input q = loaded.question;
    Origins unused;
    for (const auto& [path, value] : changes) {
      if (!set_member(q, path, value, {d, unused})) return false;
    }
    if (d.error_count() > before) return true;
    const Places places(loaded.origins, loaded.resolved);
    legal(q, {places, d});
    if (d.error_count() == before) out = judged(q);
    return true;
  }

 protected:
  // Shorthands of its own, before names are looked up.
  virtual void write_out(Workspace&, doc::Value&, Diagnostics&) const {}
  // What follows from names that have been looked up: constants of kernels.
  virtual void fill(Workspace&, doc::Value&, Diagnostics&) const {}
  virtual bool fills() const { return false; }  // so a changed field may change more than itself
  virtual void legal(const Input& q, const Asked& asked) const = 0;
  // Fields that no metric follows from and that are not idle: what a search, a verdict or a simulation goes by.
  virtual std::vector<std::string> steers(const Input&) const { return {}; }
  // Title, answer, formulas, grids, notes, what is not modelled. The metrics are there already.
  virtual void say(const Input& q, const Output& out, Result& r) const = 0;
  virtual std::vector<Alternative> alternatives(const Input&) const { return {}; }
  // What takes other plans or files to say: the same question under every law.
  virtual void beside(Workspace&, const LoadedQuestion<Q>&, const Output&, Result&) const {}

  // The same question with some fields changed; null where it can't be asked so.
  std::unique_ptr<LoadedQuestion<Q>> changed(
      Workspace& work, const LoadedQuestion<Q>& loaded,
      const std::vector<std::pair<std::string, std::string>>& sets) const {
    Diagnostics scratch;
    doc::Value tree = loaded.resolved;
    const std::vector<QuestionField> fields = fields_of(Input{});
    for (const auto& [path, value] : sets) {
      set_field(tree, path, value, work, scratch);
      look_up(work, fields, path, tree, scratch);  // a preset's name, say
    }
    return bound(std::move(tree), scratch, 0);
  }

 private:
  void resolve(Workspace& work, doc::Value& tree, Diagnostics& d) const {
    write_out(work, tree, d);
    look_up_all(work, fields_of(Input{}), tree, d);
    fill(work, tree, d);
  }

  std::unique_ptr<LoadedQuestion<Q>> bound(doc::Value tree, Diagnostics& diagnostics,
                                           std::size_t before) const {
    auto out = std::make_unique<LoadedQuestion<Q>>(*this);
    out->resolved = std::move(tree);
    bind(out->resolved, out->question, {diagnostics, out->origins});
    if (diagnostics.error_count() > before) return nullptr;
    check_models(fields_of(out->question), *out, diagnostics);
    if (diagnostics.error_count() > before) return nullptr;
    const Places places(out->origins, out->resolved);
    legal(out->question, {places, diagnostics});
    refuse_idle_assumptions(*out, out->question.assume, info().assumptions, word(), diagnostics);
    if (diagnostics.error_count() > before) return nullptr;
    return out;
  }

  // Nothing where the other convention can't be priced here.
  void also(Workspace& work, const LoadedQuestion<Q>& loaded, const Alternative& a,
            Result& r) const {
    const auto other = changed(work, loaded, a.sets);
    if (!other) return;
    std::vector<Metric> metrics;
    answer(other->question).metrics(Collect(metrics));
    Also line{a.title, as_flags(a.sets), {}};
    for (const std::string& id : a.metrics) {
      const Metric* m = find_metric(metrics, id);
      if (m && m->has_value()) line.metrics.push_back(*m);
    }
    if (!line.metrics.empty()) r.answer.also.push_back(std::move(line));
  }
};

}  // namespace reckon
