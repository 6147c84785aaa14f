// kind: dtype. What a format holds, what numbers become in it, side by side with others.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "loss_scale.hpp"
#include "numbers.hpp"
#include "questions.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

using Question_ = DtypeQuestion<double>;

struct Input {
  std::string word;
  Typed typed;
  std::optional<std::uint64_t> code;  // 0x7E
};

// 0x7E and 0b0_1111_110 are codes; 0x1.8p3 is a number.
bool read_code(const std::string& word, std::uint64_t& out) {
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  if (!hex && !word.starts_with("0b")) return false;
  std::string digits = word.substr(2);
  std::erase_if(digits, [](char c) { return c == '_' || c == '|'; });
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out, hex ? 16 : 2);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

class Dtype {
 public:
  Dtype(const Question_& q, const NumbersAsked& asked, Result& r)
      : q_(q), asked_(asked), r_(r), out_(r.metrics) {}

  void answer() {
    std::vector<std::string> names = q_.compare;
    if (!q_.type.empty()) names.insert(names.begin(), q_.type);
    if (names.empty()) {
      asked_.fault("type", "dtype: no format is named")
          .help("type: bf16, or compare: [bf16, fp16]");
      return;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool first = i == 0 && !q_.type.empty();
      if (auto f = asked_.format(first ? "type" : "compare", names[i]))
        formats_.push_back(*std::move(f));
    }
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<std::ptrdiff_t>(i))
        asked_.fault("compare", fmt::format("compare: {} is named twice", names[i]));
    read_inputs();
    if (asked_.failed()) return;
    if (r_.name.empty()) r_.name = title();
    for (const NumberFormatInUse& f : formats_) table_metrics(f);
    r_.answer.pictures.push_back(format_table());
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      for (const NumberFormatInUse& f : formats_) value_metrics(f, i);
    if (!inputs_.empty()) r_.answer.pictures.push_back(value_table());
    if (formats_.size() > 1) choose();
    if (formats_.size() == 1 && computable(formats_[0])) updates(formats_[0]);
    if (q_.gradient || q_.largest_gradient) loss_scales();
  }

 private:
  static bool computable(const NumberFormatInUse& f) { return f.size_only.empty(); }
  // ".bf16" where there are several.
  std::string of(const NumberFormatInUse& f) const { return formats_.size() > 1 ? "." + f.id : ""; }

  std::string title() const {
    if (formats_.size() == 1) return fmt::format("{}: {}", formats_[0].id, formats_[0].spec.name);
    std::vector<std::string> ids;
    for (const NumberFormatInUse& f : formats_) ids.push_back(f.id);
    return listed(ids) + " side by side";
  }

  void read_inputs() {
    for (std::size_t i = 0; i < q_.values.size(); ++i) {
      const std::string field = fmt::format("values.{}", i);
      Input in{q_.values[i], {}, {}};
      std::uint64_t code = 0;
      if (read_code(in.word, code)) {
        in.code = code;
        for (const NumberFormatInUse& f : formats_)
          if (computable(f) && f.element.bits < 64 && code >> f.element.bits != 0)
            asked_.fault(field, fmt::format("{} has more than the {} bits of a code of {}", in.word,
                                            f.element.bits, f.id));
      } else {
        asked_.number(field, in.word, in.typed);
      }
      inputs_.push_back(std::move(in));
    }
    if (inputs_.empty()) return;
    for (const NumberFormatInUse& f : formats_)
      if (!computable(f))
        asked_.fault("values", f.size_only + ", so nothing can be rounded to it")
            .help("leave the values out to see its size");
    if (q_.rounding == RoundingWord::kStochastic && !q_.draw)
      asked_.fault("rounding", "rounding: stochastic needs a random number")
          .help("draw: 0.25 rounds up where the fraction is above 0.25");
    if (q_.draw && q_.draw->raw >= 1) asked_.fault("draw", "draw: is below 1");
  }

  void table_metrics(const NumberFormatInUse& f) {
    const std::string s = of(f);
    const auto& spec = f.spec;
    out_.number("bits_per_weight" + s, "bits per weight, scales included",
                spec.bits_per_weight.raw);
    if (spec.block) {
      out_.number("block" + s, "values that share a scale", spec.block->raw, Hint::kCount);
      const double overhead =
          spec.scale_bits_per_block.value_or(Ratio<double>(0)).raw / spec.block->raw;
      if (spec.scale_bits_per_block)
        out_.number("overhead" + s, "bits per weight that scales take", overhead);
    }
    if (!computable(f)) return;
    const Element& e = f.element;
    out_.number("bits" + s, "bits of a code", e.bits, Hint::kCount);
    if (e.kind == ElementKind::kFloat) {
      out_.number("sign_bits" + s, "sign bits", e.sign ? 1 : 0, Hint::kCount);
      out_.number("exponent_bits" + s, "exponent bits", e.exponent, Hint::kCount);
      out_.number("mantissa_bits" + s, "mantissa bits, as stored", e.mantissa, Hint::kCount);
      out_.number("significant_bits" + s, "significant bits, the leading one included",
                  e.mantissa + 1, Hint::kCount);
    }
    out_.number("max" + s, "largest value", largest(e));
    out_.number("lowest" + s, "lowest value", lowest(e));
    out_.number("min_normal" + s, "smallest normal value", smallest_normal(e));
    out_.number("min" + s, "smallest positive value", smallest(e));
    if (const double step = step_at_one(e); step > 0) {
      out_.number("epsilon" + s, "from 1 to the next value", step);
      out_.number("update_lost" + s, "largest relative update that a weight of 1 loses", step / 2);
    }
    out_.number("integers_up_to" + s, "every whole number up to", integers_up_to(e), Hint::kCount);
    out_.number("levels" + s, "values its codes stand for", levels(e), Hint::kCount);
  }

  static std::string special(const NumberFormatInUse& f) {
    const Element& e = f.element;
    if (e.kind != ElementKind::kFloat) return "none";
    if (e.infinity) return "infinity and NaN, as IEEE";
    switch (e.nan) {
      case NanCode::kAllOnes:
        return e.sign ? "one NaN a sign (all ones)" : "one NaN (all ones)";
      case NanCode::kNegativeZero:
        return "one NaN (the code of -0)";
      default:
        return e.nan == NanCode::kNone ? "none" : "NaN";
    }
  }

  static std::string layout(const NumberFormatInUse& f) {
    const Element& e = f.element;
    if (e.kind == ElementKind::kCodebook) return fmt::format("{}, a codebook", e.bits);
    if (e.kind == ElementKind::kInteger)
      return fmt::format("{}, codes {} to {}", e.bits, e.lowest, e.highest);
    return fmt::format("{}{}|{}, bias {}", e.sign ? "1|" : "", e.exponent, e.mantissa, e.bias);
  }

  Picture format_table() const {
    std::vector<Table::Column> heads{{""}};
    for (const NumberFormatInUse& f : formats_) heads.push_back({f.id, Align::kRight});
    Table t(heads);
    const auto row = [&](const char* what, auto cell, bool codes = true) {
      std::vector<std::string> cells{what};
      bool any = false;
      for (const NumberFormatInUse& f : formats_) {
        cells.push_back(codes && !computable(f) ? "–" : cell(f));
        any = any || (cells.back() != "–" && !cells.back().empty());
      }
      if (any) t.row(cells);
    };
    const auto of_element = [](auto function) {
      return [function](const NumberFormatInUse& f) { return power_text(function(f.element)); };
    };
    row(
        "bits per weight", [](auto& f) { return short_text(f.spec.bits_per_weight.raw, 7); },
        false);
    row(
        "values that share a scale",
        [](auto& f) { return f.block > 0 ? std::to_string(f.block) : "–"; }, false);
    row("bits: sign|exponent|mantissa", layout);
    row("largest", of_element(largest));
    row("smallest normal", of_element(smallest_normal));
    row("smallest positive", of_element(smallest));
    row("1 to the next value", [](auto& f) {
      const double s = step_at_one(f.element);
      return s > 0 ? power_text(s) : "–";
    });
    row("every whole number up to", [](auto& f) {
      const double n = integers_up_to(f.element);
      return n > 0 ? exact_text(n) : "–";
    });
    row("special codes", special);
    row("1 loses updates up to", [](auto& f) {
      const double s = step_at_one(f.element);
      return s > 0 && f.element.kind == ElementKind::kFloat ? power_text(s / 2) : "–";
    });
    return {"Format", lines(t)};
  }

  static std::vector<std::string> lines(const Table& t) {
    std::vector<std::string> out;
    std::string line;
    for (const char c : t.text()) {
      if (c == '\n') {
        out.push_back(line);
        line.clear();
      } else {
        line += c;
      }
    }
    return out;
  }

  double input_of(const NumberFormatInUse& f, const Input& in) const {
    return f.element.mantissa > 51 ? in.typed.nearest : in.typed.to_round;
  }

  Coded rounded(const NumberFormatInUse& f, const Input& in) const {
    if (in.code) return {*in.code, decode(f.element, *in.code)};
    return encode(f.element, input_of(f, in),
                  {rounding_of(q_.rounding), q_.draw.value_or(Ratio<double>(0)).raw, q_.saturate});
  }

  // NaN holds nothing on either side.
  static double above(const NumberFormatInUse& f, double x) {
    return std::isnan(x) ? x : next_above(f.element, x);
  }
  static double below(const NumberFormatInUse& f, double x) {
    return std::isnan(x) ? x : next_below(f.element, x);
  }

  void value_metrics(const NumberFormatInUse& f, std::size_t i) {
    const Input& in = inputs_[i];
    const Coded c = rounded(f, in);
    const std::string id = fmt::format("values.{}.", i), s = of(f), what = in.word + ": ";
    if (!c.holds)
      return out_.none(id + "rounded" + s, what + "in the format",
                       "no code of " + f.id + " stands for it");
    out_.number(id + "rounded" + s, what + (in.code ? "the value of the code" : "rounded"),
                c.value);
    out_.text(id + "code" + s, what + "code", hex_code(f.element, c.code));
    out_.text(id + "bits" + s, what + "bits", bit_fields(f.element, c.code));
    const double x = in.code ? c.value : in.typed.nearest;
    out_.number(id + "spacing" + s, what + "spacing of the values around it",
                spacing(f.element, x));
    if (std::isfinite(c.value) && std::isfinite(x)) {
      out_.number(id + "error" + s, what + "rounding error", c.value - x);
      if (x != 0)
        out_.number(id + "relative_error" + s, what + "relative to it", (c.value - x) / x);
    }
  }

  Picture value_table() const {
    const bool several = formats_.size() > 1;
    Table t({{"number", Align::kRight},
             {several ? "in" : ""},
             {"becomes", Align::kRight},
             {"error", Align::kRight},
             {"code", Align::kRight},
             {"sign|exponent|mantissa"},
             {"below", Align::kRight},
             {"above", Align::kRight},
             {""}});
    for (const Input& in : inputs_) {
      for (const NumberFormatInUse& f : formats_) {
        const Coded c = rounded(f, in);
        const std::string id = several ? f.id : "";
        if (!c.holds) {
          t.row({in.word, id, "–", "", "", "", "", "", "no code stands for it"});
          continue;
        }
        const double x = in.code ? c.value : in.typed.nearest;
        const double error = c.value - x;
        const auto neighbour = [](double v) {
          return std::isnan(v) ? std::string("–") : short_text(v, 7);
        };
        t.row({in.word, id, exact_text(c.value), error_text(in, error, x),
               hex_code(f.element, c.code), bit_fields(f.element, c.code),
               neighbour(below(f, c.value)), neighbour(above(f, c.value)), remark(f, in, c)});
      }
    }
    return {"Numbers", lines(t)};
  }

  static std::string error_text(const Input& in, double error, double x) {
    if (!std::isfinite(error) || x == 0) return "";
    if (error == 0) return in.code || in.typed.exact ? "0" : "<1e-14 %";
    const double percent = 100 * error / x;
    return std::abs(percent) < 10 ? fmt::format("{:+.2g} %", percent)
                                  : fmt::format("{:+.0f} %", percent);
  }

  std::string remark(const NumberFormatInUse& f, const Input& in, const Coded& c) const {
    if (in.code) return "";
    if (c.overflow && std::isfinite(in.typed.nearest))
      return q_.saturate || std::isfinite(c.value) ? "too large: saturates" : "overflows";
    if (c.value == 0 && in.typed.to_round != 0) return "vanishes";
    if (f.element.kind == ElementKind::kFloat && c.value != 0 &&
        std::abs(c.value) < smallest_normal(f.element))
      return "subnormal";
    return c.value == in.typed.nearest && in.typed.exact ? "exact" : tie(f, in, c);
  }

  std::string tie(const NumberFormatInUse& f, const Input& in, const Coded& c) const {
    if (q_.rounding != RoundingWord::kNearestEven || !in.typed.exact) return "";
    const double x = in.typed.nearest;
    const double other = c.value > x ? below(f, c.value) : above(f, c.value);
    return std::isfinite(other) && std::abs(other - x) == std::abs(c.value - x) ? "tie, to even"
                                                                                : "";
  }

  void choose() {
    for (std::size_t i = 0; i + 1 < formats_.size(); ++i) {
      const NumberFormatInUse &a = formats_[i], &b = formats_[i + 1];
      if (!computable(a) || !computable(b)) continue;
      if (a.element.kind != ElementKind::kFloat || b.element.kind != ElementKind::kFloat) continue;
      compare(a, b);
    }
  }

  void compare(const NumberFormatInUse& a, const NumberFormatInUse& b) {
    const NumberFormatInUse& wide =
        largest(a.element) / smallest(a.element) >= largest(b.element) / smallest(b.element) ? a
                                                                                             : b;
    const NumberFormatInUse& other = &wide == &a ? b : a;
    const int finer = other.element.mantissa - wide.element.mantissa;
    const std::string range = fmt::format(
        "{} reaches from {} to {}, {} from {} to {}.", wide.id,
        short_text(smallest(wide.element), 3), short_text(largest(wide.element), 3), other.id,
        short_text(smallest(other.element), 3), short_text(largest(other.element), 3));
    std::string choice;
    if (finer > 0)
      choice = fmt::format(
          " {} is {} times finer: take it where the range is known (weights and activations near "
          "1, or scaled by block), and {} where it is not (gradients), which spares loss scaling.",
          other.id, 1 << finer, wide.id);
    else if (finer == 0)
      choice = " Both are equally fine: what differs is range, and what that costs in bits.";
    else
      choice = fmt::format(" {} is {} times finer as well, at {} bits against {}.", wide.id,
                           1 << -finer, wide.element.bits, other.element.bits);
    r_.answer.notes.push_back(range + choice);
  }

  void updates(const NumberFormatInUse& f) {
    const double step = step_at_one(f.element);
    const Element& e = f.element;
    if (f.block > 0) {
      r_.answer.notes.push_back(
          "The table is of one element; values share a scale: `reckon quantize --to " + f.id +
          "`.");
      return;
    }
    if (e.kind != ElementKind::kFloat || step <= 0 || !e.sign || e.bits < 8) return;
    constexpr int kMasterBits = 32;
    std::string said = fmt::format(
        "A weight of 1 (any power of two) loses every update of {} of it or less, however often it "
        "comes: half a step is a tie, "
        "and goes back. Relative to weights just below the next power of two it is half of that.",
        power_text(step / 2));
    if (e.bits < kMasterBits)
      said += fmt::format(
          " So training in {} keeps a master copy in a finer format: `reckon accumulate --start 1 "
          "--value {} "
          "--terms 1000 --in {}`.",
          f.id, power_text(step / 2), f.id);
    r_.answer.notes.push_back(said);
  }

  void loss_scales() {
    for (const NumberFormatInUse& f : formats_) {
      if (!computable(f) || f.element.kind != ElementKind::kFloat) {
        asked_.fault(
            "gradient",
            fmt::format("gradient: loss scales are for floating-point formats, not {}", f.id));
        return;
      }
      add_loss_scale(q_, f, of(f), r_);
    }
  }

  const Question_& q_;
  const NumbersAsked& asked_;
  Result& r_;
  Figures out_;
  std::vector<NumberFormatInUse> formats_;
  std::vector<Input> inputs_;
};

class DtypeKind : public Question {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        .word = "dtype",
        .summary = "what a number format holds, and what numbers become in it",
        .positional = "type",
        .examples = {"reckon dtype fp16 257 70000 1e-8 -inf", "reckon dtype fp8-e4m3 0x7E 464",
                     "reckon dtype --compare bf16,fp16 257 70000 1e-8",
                     "reckon dtype fp16 --gradient 1e-8 --largest-gradient 2"},
        .assumptions = {},
        .columns = {"bits_per_weight", "max", "min", "epsilon"},
        .rest = "values"};
    return info;
  }
  Description describe() const override { return reckon::describe<Question_>(); }
  std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                               Diagnostics& diagnostics) const override {
    return answer_numbers<Question_>(work, std::move(tree), word(), diagnostics,
                                     [](const Question_& q, const NumbersAsked& asked, Result& r) {
                                       Dtype(q, asked, r).answer();
                                     });
  }
};

}  // namespace

const Question& dtype_question() {
  static const DtypeKind kind;
  return kind;
}

}  // namespace reckon
