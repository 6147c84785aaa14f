// What the questions on numbers share: a question that is answered when it is loaded (its faults may lie in the
// numbers), numbers from flags, files or a distribution, metrics without a unit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../places.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/number_format.hpp"
#include "reckon/numerics/decimal.hpp"
#include "reckon/numerics/random.hpp"
#include "reckon/numerics/tensor.hpp"
#include "reckon/spec/questions/numbers.hpp"

namespace reckon {

// Metrics that are numbers as they stand. Infinities and NaN are words: JSON has no number for them.
class Figures {
 public:
  explicit Figures(std::vector<Metric>& out) : out_(out) {}
  void number(std::string id, std::string title, double value, Hint hint = Hint::kRatio) const;
  void none(std::string id, std::string title, std::string reason) const;
  void text(std::string id, std::string title, std::string value) const;

 private:
  Metric& add(std::string id, std::string title) const;
  std::vector<Metric>& out_;
};

// A value with all its digits: "70144", "1.001171767711639e-08", "-inf".
std::string exact_text(double value);
// "2^-24" where it is a power of two beyond everyday size, else its digits.
std::string power_text(double value);
// To so many significant digits.
std::string short_text(double value, int digits = 5);

// Where a fault of a field goes, and what it needs.
struct NumbersAsked {
  Workspace& work;
  const Places& places;
  Diagnostics& diagnostics;
  std::size_t errors_before;  // of other files, say
  bool failed() const { return diagnostics.error_count() > errors_before; }
  Diagnostic& fault(std::string_view path, std::string message) const {
    return diagnostics.error(places.of(path), std::move(message));
  }
  std::optional<NumberFormatInUse> format(std::string_view field, const std::string& name) const;
  // One that can be computed with: faults if it is known by its size alone.
  std::optional<NumberFormatInUse> computable(std::string_view field,
                                              const std::string& name) const;
  // False after a fault. A code is allowed where `element` is given.
  bool number(std::string_view field, const std::string& word, Typed& out) const;
};

Rounding rounding_of(RoundingWord word);

// Numbers from one of the places a question may name; null after a fault.
std::unique_ptr<Source> numbers_from(const NumbersFrom<double>& from, const NumbersAsked& asked);
// "64x256"; false after a fault.
bool read_shape(const std::string& text, std::string_view field, const NumbersAsked& asked,
                Shape& out);

// An answered question. What it says is computed by `load`; there is no formula to record.
class AnsweredNumbers : public Loaded {
 public:
  Result answer;
  Result result(Workspace&) const override;
  std::shared_ptr<const void> record(const Recording&,
                                     std::vector<Metric>& metrics) const override {
    metrics = answer.metrics;
    return nullptr;
  }
};

// Binds Q, answers it; null after a fault.
template <class Q, class Compute>
std::unique_ptr<Loaded> answer_numbers(Workspace& work, doc::Value tree, std::string_view word,
                                       Diagnostics& diagnostics, Compute compute) {
  const std::size_t before = diagnostics.error_count();
  auto out = std::make_unique<AnsweredNumbers>();
  Q question;
  out->resolved = std::move(tree);
  bind(out->resolved, question, {diagnostics, out->origins});
  if (diagnostics.error_count() > before) return nullptr;
  const Places places(out->origins, out->resolved);
  out->answer.kind = word;
  out->answer.name = question.name;
  try {
    compute(question, NumbersAsked{work, places, diagnostics, before}, out->answer);
  } catch (const SourceFailed& failed) {
    diagnostics.error({}, failed.what);
  }
  if (diagnostics.error_count() > before) return nullptr;
  return out;
}

}  // namespace reckon
