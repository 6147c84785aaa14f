// kind: quantize. Values as codes that share scales: errors, size, what an outlier costs.
#include "quantize.hpp"

#include <fmt/format.h>

#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::uint64_t kKept = 4096;  // values whose codes are kept to be shown

struct Run {
  std::string prefix, title, of;  // "after.", "after", and which way
  TensorReport report;
};

class Quantize {
 public:
  Quantize(const QuantizeAsked& q, const NumbersAsked& asked, Result& r)
      : q_(q), asked_(asked), r_(r), out_(r.metrics) {}

  void answer() {
    const auto setup = set_up(q_, asked_);
    const auto source = numbers_from(q_.from, asked_);
    if (!setup || !source || asked_.failed()) return;
    setup_ = &*setup;
    if (source->shape().size() == 0) {
      asked_.fault("values", "there are no values").help("give at least one");
      return;
    }
    auto* matrix = dynamic_cast<HeldMatrix*>(source.get());
    if (r_.name.empty()) r_.name = title(source->shape());
    if (!q_.weights.empty() || q_.outputs || q_.smooth || q_.history || q_.margin)
      return studies(matrix);
    if (q_.outlier.empty()) {
      run(*source, "", "Values");
    } else if (auto changed = with_outlier(matrix)) {
      run(*source, "before.", "Before");
      run(*changed, "after.", fmt::format("After: the last value is {}", q_.outlier));
    }
    if (asked_.failed()) return;
    say();
  }

 private:
  void studies(HeldMatrix* matrix) {
    const bool delayed = q_.history || q_.margin;
    if (!matrix) {
      asked_.fault("file", "this study reads a matrix at once: not from .npy")
          .help("a CSV file, rows, or random");
    } else if (delayed) {
      delayed_study(q_, *matrix, *setup_, asked_, r_);
    } else if (q_.weights.empty()) {
      asked_
          .fault(q_.smooth ? "smooth" : "outputs",
                 "weights: the matrix to multiply by is not stated")
          .help("weights: \"1 2; 3 4\", or weights: random with outputs: 64");
    } else {
      matmul_study(q_, *matrix, *setup_, asked_, r_);
    }
  }

  std::optional<HeldMatrix> with_outlier(const HeldMatrix* matrix) {
    Typed typed;
    if (!asked_.number("outlier", q_.outlier, typed)) return std::nullopt;
    if (!matrix) {
      asked_.fault("outlier", "outlier: of values that are typed, not of a .npy file");
      return std::nullopt;
    }
    std::vector<double> values = matrix->values();
    values.back() = typed.nearest;
    return HeldMatrix(matrix->shape(), std::move(values));
  }

  void run(Source& source, const std::string& when, const std::string& title) {
    std::vector<TensorReport> reports;
    for (const SharedScales& way : setup_->ways) {
      Grouping g = way.grouping;
      g.keep = source.shape().size() <= kKept;
      auto report = quantized(source, setup_->scheme, g, asked_);
      if (!report) return;
      const std::string prefix = when + (setup_->ways.size() > 1 ? way.word + "." : "");
      report_metrics(*setup_, way, *report, q_, prefix, out_);
      rows_.push_back({prefix, (when.empty()        ? ""
                                : when == "before." ? "before, "
                                                    : "after, ") +
                                   way.title});
      reports.push_back(*std::move(report));
    }
    if (const auto* matrix = dynamic_cast<const HeldMatrix*>(&source);
        matrix && !reports.front().codes.empty()) {
      std::vector<Column> columns;
      for (std::size_t i = 0; i < reports.size(); ++i)
        columns.push_back({setup_->ways[i].title, &reports[i]});
      r_.answer.pictures.push_back(value_picture(title, *matrix, columns, setup_->scheme.element));
    }
    if (!q_.histogram) return;
    for (std::size_t i = 0; i < reports.size(); ++i)
      r_.answer.pictures.push_back(histogram_picture(
          fmt::format("Errors, {}", rows_[rows_.size() - reports.size() + i].second),
          reports[i].histogram));
  }

  std::string title(const Shape& s) const {
    const std::string what = s.rows > 1
                                 ? fmt::format("{} × {} values", s.rows, s.columns)
                                 : fmt::format("{} value{}", s.columns, s.columns == 1 ? "" : "s");
    return fmt::format("{} as {}", what, q_.to);
  }

  void say() {
    Grid g{"",
           "scale",
           {{"scale", "largest scale"},
            {"error.rms", "RMS error"},
            {"error.max", "largest error"},
            {"error.sqnr_db", "SQNR, dB"},
            {"levels_used", "codes used"},
            {"levels_within", "codes left"},
            {"clipped", "clipped"},
            {"zeroed", "became 0"},
            {"bits_per_value", "bits a value"}},
           {}};
    for (const auto& [prefix, title] : rows_) {
      if (prefix.empty()) return single();
      g.rows.push_back({prefix.substr(0, prefix.size() - 1), title});
    }
    g.title = "Errors";
    r_.answer.grids.push_back(std::move(g));
  }

  void single() {
    const auto at = [this](const char* id) {
      const Metric* m = r_.find(id);
      if (!m || !m->has_value()) return std::string("–");
      if (m->is_text()) return m->text;
      return m->hint == Hint::kCount ? grouped(m->value) : short_text(m->value);
    };
    const auto line = [this](const char* key, std::string value) {
      r_.headline.emplace_back(key, std::move(value));
    };
    if (setup_->scheme.rule != ScaleRule::kNone)
      line("scale", at("groups") == "1"
                        ? fmt::format("{}, one {}", at("scale"), setup_->ways[0].title)
                        : fmt::format("{} scales, the largest {}, {}", at("groups"), at("scale"),
                                      setup_->ways[0].title));
    line("error", fmt::format("RMS {}, at most {}, SQNR {} dB", at("error.rms"), at("error.max"),
                              at("error.sqnr_db")));
    line("codes", fmt::format("{} of {} used; {} clipped, {} became 0", at("levels_used"),
                              at("levels"), at("clipped"), at("zeroed")));
    if (q_.within)
      line("codes left",
           fmt::format("{} for values up to {}", at("levels_within"), short_text(q_.within->raw)));
    line("size", fmt::format("{} bits a value, {} of them for scales; {} is {} times as large",
                             at("bits_per_value"), at("overhead"), q_.original, at("size_ratio")));
  }

  const QuantizeAsked& q_;
  const NumbersAsked& asked_;
  Result& r_;
  Figures out_;
  const QuantizeSetup* setup_ = nullptr;
  std::vector<std::pair<std::string, std::string>> rows_;  // prefix and title of each run
};

class QuantizeKind : public Question {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        .word = "quantize",
        .summary = "values as codes that share scales: error, outliers, size",
        .positional = "",
        .examples = {"reckon quantize 0.3 -0.5 .12 1.5 --to int8",
                     "reckon quantize 0.3 -0.5 .12 1.5 --outlier 30 --per tensor,block --block 2",
                     "reckon quantize --rows \"0.3 -0.5; 0.12 30\" --per tensor,channel",
                     "reckon quantize --file weights.npy --to int4-g128 --histogram",
                     "reckon quantize --random normal --shape 64x256 --outlier-columns 2 "
                     "--outlier-factor 50 "
                     "--per token --weights random --outputs 64 --smooth 0.5"},
        .assumptions = {},
        .columns = {"scale", "error.rms", "error.sqnr_db", "bits_per_value"},
        .rest = "values"};
    return info;
  }
  Description describe() const override { return reckon::describe<QuantizeAsked>(); }
  std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                               Diagnostics& diagnostics) const override {
    return answer_numbers<QuantizeAsked>(work, std::move(tree), word(), diagnostics,
                                         [](const QuantizeAsked& q, const NumbersAsked& asked,
                                            Result& r) { Quantize(q, asked, r).answer(); });
  }
};

}  // namespace

const Question& quantize_question() {
  static const QuantizeKind kind;
  return kind;
}

}  // namespace reckon
