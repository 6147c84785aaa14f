// kind: accumulate. A sum or dot product as a machine keeps it, against the exact one.
#include "reckon/numerics/accumulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

using Question_ = AccumulateQuestion<double>;

constexpr double kMostTerms = 1e8;

// Terms one by one: a repeated number, listed ones, products.
class Terms {
 public:
  Terms(const Question_& q, const NumbersAsked& asked) : q_(q), asked_(asked) {
    if (!q.operands.empty()) format_ = asked.computable("operands", q.operands);
    if (q.value.empty())
      listed_terms();
    else
      repeated();
    if (!asked.failed()) factors();
  }
  std::uint64_t count() const { return count_; }
  bool repeats() const { return !q_.value.empty() && other_.empty(); }
  double at(std::uint64_t i) const {
    const double x = repeated_ ? *repeated_ : values_[i];
    return other_.empty() ? x : x * other_[i];
  }

 private:
  double rounded(double x) const {
    return format_ ? encode(format_->element, x, {.saturate = true}).value : x;
  }

  void repeated() {
    const bool also = !q_.from.values.empty() || !q_.from.rows.empty() || !q_.from.file.empty() ||
                      q_.from.random != DistributionWord::kNone;
    if (also) {
      asked_.fault("value", "terms are given twice, by value and as a list").help("leave one out");
      return;
    }
    if (!q_.terms) {
      asked_.fault("terms", "terms: how often the value is added is not stated").help("terms: 100");
      return;
    }
    if (q_.terms->raw > kMostTerms) {
      asked_.fault("terms", fmt::format("terms: more than the {} that are added here", kMostTerms));
      return;
    }
    Typed typed;
    if (!asked_.number("value", q_.value, typed)) return;
    repeated_ =
        rounded(format_ && format_->element.mantissa <= 51 ? typed.to_round : typed.nearest);
    count_ = static_cast<std::uint64_t>(q_.terms->raw);
  }

  void listed_terms() {
    NumbersFrom<double> from = q_.from;
    if (from.random != DistributionWord::kNone && from.shape.empty() && q_.terms)
      from.shape = fmt::format("{:.0f}", q_.terms->raw);
    const auto source = numbers_from(from, asked_);
    if (!source) return;
    count_ = source->shape().size();
    if (static_cast<double>(count_) > kMostTerms) {
      asked_.fault("file", fmt::format("more than the {} terms that are added here", kMostTerms));
      return;
    }
    values_.resize(count_);
    source->rewind();
    source->read(std::span<double>(values_));
    for (double& x : values_) x = rounded(x);
    if (q_.terms && q_.terms->raw != static_cast<double>(count_))
      asked_
          .fault("terms",
                 fmt::format("terms: {:.0f}, and {} numbers are given", q_.terms->raw, count_))
          .help("leave terms out");
  }

  void factors() {
    if (q_.times.empty()) return;
    if (q_.times == "random" || q_.times == "itself") {
      Random random(static_cast<std::uint64_t>(q_.from.seed.raw) + 1);
      const auto kind = static_cast<std::size_t>(q_.from.random);
      constexpr Distribution kWords[] = {Distribution::kNormal, Distribution::kNormal,
                                         Distribution::kUniform, Distribution::kPositive,
                                         Distribution::kLaplace};
      for (std::uint64_t i = 0; i < count_; ++i)
        other_.push_back(q_.times == "itself" ? at(i) : rounded(random.draw(kWords[kind])));
      return;
    }
    NumbersFrom<double> from;
    from.rows = q_.times;
    const auto source = numbers_from(from, asked_);
    if (!source) return;
    if (source->shape().size() != count_) {
      asked_.fault("times",
                   fmt::format("times: {} factors for {} terms", source->shape().size(), count_));
      return;
    }
    other_.resize(count_);
    source->read(std::span<double>(other_));
    for (double& x : other_) x = rounded(x);
  }

  const Question_& q_;
  const NumbersAsked& asked_;
  std::optional<NumberFormatInUse> format_;
  std::optional<double> repeated_;
  std::vector<double> values_, other_;
  std::uint64_t count_ = 0;
};

class Accumulation {
 public:
  Accumulation(const Question_& q, const NumbersAsked& asked, Result& r)
      : q_(q), asked_(asked), r_(r), out_(r.metrics) {}

  void answer() {
    const Terms terms(q_, asked_);
    SumSpec spec;
    if (!machine(spec) || asked_.failed()) return;
    if (!finite(terms) || !within_a_double(spec, terms)) return;
    Accumulator a(spec);
    for (std::uint64_t i = 0; i < terms.count(); ++i) a.add(terms.at(i));
    const SumResult s = a.result();
    metrics(spec, s, terms);
    if (r_.name.empty()) r_.name = title(terms);
    say(s, terms);
    if (s.path.size() > 1) r_.answer.pictures.push_back(path(s, spec.adder.has_value()));
  }

 private:
  bool machine(SumSpec& spec) {
    const auto in = asked_.computable("in", q_.in);
    const auto total = asked_.computable("total", q_.total);
    if (!in || !total) return false;
    spec.sum = in->element;
    spec.total = total->element;
    spec.rounding = rounding_of(q_.rounding);
    spec.seed = static_cast<std::uint64_t>(q_.from.seed.raw);
    if (q_.promote) spec.promote = static_cast<std::uint64_t>(q_.promote->raw);
    Typed start;
    if (!q_.start.empty() && !asked_.number("start", q_.start, start)) return false;
    spec.start = encode(spec.sum, in->element.mantissa <= 51 ? start.to_round : start.nearest,
                        {.saturate = true})
                     .value;
    if (q_.adder_bits)
      spec.adder = adder();
    else if (q_.chunk)
      asked_.fault("chunk", "chunk: is of a narrow adder").help("adder_bits: 14");
    return true;
  }

  std::optional<NarrowAdder> adder() {
    constexpr double kMostBits = 48, kMostChunk = 4096;
    NarrowAdder a;
    if (q_.adder_bits->raw < 2 || q_.adder_bits->raw > kMostBits)
      asked_.fault("adder_bits", fmt::format("adder_bits: from 2 to {}", kMostBits));
    if (!q_.chunk)
      asked_.fault("chunk", "chunk: how many terms the adder takes at once is not stated")
          .help("chunk: 32");
    else if (q_.chunk->raw > kMostChunk)
      asked_.fault("chunk", fmt::format("chunk: at most {}", kMostChunk));
    if (asked_.failed()) return std::nullopt;
    a.bits = static_cast<int>(q_.adder_bits->raw);
    a.chunk = static_cast<int>(q_.chunk->raw);
    return a;
  }

  bool finite(const Terms& terms) {
    for (std::uint64_t i = 0; i < terms.count(); ++i) {
      if (std::isfinite(terms.at(i))) continue;
      asked_.fault("value", fmt::format("term {} is {}: only finite numbers are added", i + 1,
                                        exact_text(terms.at(i))));
      return false;
    }
    return true;
  }

  // Else the exact sum, which is kept in two doubles, would be none.
  bool within_a_double(const SumSpec& spec, const Terms& terms) {
    double magnitude = std::abs(spec.start);
    for (std::uint64_t i = 0; i < terms.count(); ++i) magnitude += std::abs(terms.at(i));
    if (std::isfinite(magnitude)) return true;
    asked_
        .fault(
            "value",
            "the terms' magnitudes add up to more than a double holds, 1.8e308, so that the exact "
            "sum is not known here")
        .help("divide the terms by a power of two");
    return false;
  }

  void metrics(const SumSpec& spec, const SumResult& s, const Terms& terms) {
    out_.number("sum", "the sum the machine keeps", s.sum);
    out_.number("exact", "the exact sum", s.exact);
    out_.number("error", "the one less the other", s.sum - s.exact);
    if (s.exact != 0)
      out_.number("relative_error", "relative to the exact sum", (s.sum - s.exact) / s.exact);
    else
      out_.none("relative_error", "relative to the exact sum", "the exact sum is 0");
    out_.number("terms", "terms", static_cast<double>(s.terms), Hint::kCount);
    if (s.last_change < s.terms && terms.repeats() && !spec.adder && spec.promote == 0)
      out_.number("sticks_after", "terms after which the sum moves no more",
                  static_cast<double>(s.last_change), Hint::kCount);
    else
      out_.none("sticks_after", "terms after which the sum moves no more",
                "it still moves at the end");
    out_.number("unchanged", "additions that changed nothing", static_cast<double>(s.unchanged),
                Hint::kCount);
    out_.number("bound", "what the roundings of this run can add up to", s.bound);
    const bool nearest =
        spec.rounding == Rounding::kNearestEven || spec.rounding == Rounding::kNearestAway;
    const double step = spec.adder ? relative_step(spec.adder->bits) : step_at_one(spec.sum);
    const double unit = spec.adder || !nearest ? step : step / 2;
    out_.number("step", "relative step of the running sum", step);
    out_.number("first_order_bound", "n · unit roundoff · sum of magnitudes, known beforehand",
                static_cast<double>(s.terms) * unit * s.magnitude);
    if (s.left_range)
      r_.warnings.push_back("the sum left the range of its format, where no bound holds");
  }

  std::string how() const {
    std::string s =
        q_.adder_bits ? fmt::format("an adder of {:.0f} bits that truncates, {:.0f} terms at once",
                                    q_.adder_bits->raw, q_.chunk->raw)
                      : q_.in;
    if (q_.promote)
      s += fmt::format(", promoted to {} every {:.0f} terms", q_.total, q_.promote->raw);
    return s;
  }

  std::string title(const Terms& terms) const {
    const std::string what = terms.repeats() ? q_.value : q_.times.empty() ? "numbers" : "products";
    return fmt::format("{} × {} in {}", terms.count(), what, how());
  }

  void say(const SumResult& s, const Terms& terms) {
    r_.answer.lines.push_back(
        fmt::format("{}; exactly {}", exact_text(s.sum), exact_text(s.exact)));
    const double percent = 100 * s.bound / std::abs(s.exact);
    if (s.exact != 0)
      r_.answer.lines.push_back(fmt::format(
          "off by {:.3g} %; the roundings of this run can add up to {}",
          100 * (s.sum - s.exact) / s.exact,
          std::isfinite(percent) ? fmt::format("{:.3g} %", percent) : short_text(s.bound)));
    const bool sticks = terms.repeats() && !q_.adder_bits && !q_.promote && s.last_change < s.terms;
    if (sticks && s.sum != s.exact)
      r_.answer.lines.push_back(
          s.last_change == 0
              ? fmt::format("It never moves: {} is at most half a step at {}",
                            exact_text(terms.at(0)), exact_text(s.sum))
              : fmt::format("It sticks at {} after {} terms: {} is then at most half a step",
                            exact_text(s.sum), s.last_change, exact_text(terms.at(0))));
    if (q_.promote && terms.repeats())
      r_.answer.notes.push_back(
          "Promotion bounds how large a partial sum grows; it does not make the sum exact, and a "
          "longer "
          "interval can overshoot as well as fall short, since ties go to even.");
  }

  // A sum that stands still is not written again and again.
  static Picture path(const SumResult& s, bool by_chunk) {
    std::vector<std::string> sums;
    for (std::size_t i = 0; i < s.path.size(); ++i) {
      const bool stands = i > 0 && s.path[i] == s.path[i - 1];
      if (i > s.last_change + 1 || (by_chunk && stands)) continue;
      sums.push_back(short_text(s.path[i], 7));
    }
    sums.emplace_back("…");
    std::vector<std::string> out;
    const std::string wrapped = wrap(join(sums, " "), 76);
    for (std::size_t at = 0; at <= wrapped.size();) {
      const std::size_t end = std::min(wrapped.find('\n', at), wrapped.size());
      out.push_back(wrapped.substr(at, end - at));
      at = end + 1;
    }
    return {by_chunk ? "The sum, whenever it moves" : "The sum after each term", out};
  }

  const Question_& q_;
  const NumbersAsked& asked_;
  Result& r_;
  Figures out_;
};

class AccumulateKind : public Question {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        .word = "accumulate",
        .summary = "a sum in a narrow accumulator: where it sticks, how far it is off",
        .positional = "",
        .examples = {"reckon accumulate --value 3 --terms 100 --in fp8-e4m3",
                     "reckon accumulate --value 3 --terms 100 --in fp8-e4m3 --promote 8,10,16",
                     "reckon accumulate --random positive --terms 4096 --adder-bits 14 --chunk 32",
                     "reckon accumulate --start 1 --value 2^-8 --terms 1000 --in bf16"},
        .assumptions = {},
        .columns = {"sum", "exact", "relative_error", "bound"},
        .rest = "values"};
    return info;
  }
  Description describe() const override { return reckon::describe<Question_>(); }
  std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                               Diagnostics& diagnostics) const override {
    return answer_numbers<Question_>(work, std::move(tree), word(), diagnostics,
                                     [](const Question_& q, const NumbersAsked& asked, Result& r) {
                                       Accumulation(q, asked, r).answer();
                                     });
  }
};

}  // namespace

const Question& accumulate_question() {
  static const AccumulateKind kind;
  return kind;
}

}  // namespace reckon
