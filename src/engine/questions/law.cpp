#include "law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reckon/base/text.hpp"
#include "reckon/numerics/quantile.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// Every constant a law states, with its path behind the law's field: "α 0.3478".
class Constants {
 public:
  std::vector<std::string> out;

  template <class S>
  void of(const S& part, const std::string& prefix = "") {
    S::fields([&](const Field& f, const auto& member) { one(f, member, prefix); }, part);
  }

 private:
  template <class T>
  void one(const Field& f, const T& member, const std::string& prefix) {
    if constexpr (detail::is_quantity<T>) {
      const std::string_view symbol = f.symbol.empty() ? f.name : f.symbol;
      out.push_back(fmt::format("{}{} {}", prefix, symbol,
                                write_quantity(member.raw, detail::dim_of(member), f.hint_)));
    } else if constexpr (detail::Element<T>::optional) {
      if (member) one(f, *member, prefix);
    } else if constexpr (Described<T>) {
      of(member, prefix + std::string(f.name) + " ");
    }
  }
};

// The part that holds a family's constants, by its key.
std::vector<const char*> parts_needed(LawFamily family) {
  switch (family) {
    case LawFamily::kLoss:
      return {"loss"};
    case LawFamily::kRatio:
      return {"tokens_per_param"};
    case LawFamily::kAllocation:
      return {"allocation"};
    case LawFamily::kKaplan:
      return {"allocation", "losses"};
    case LawFamily::kPrecision:
      return {"loss", "precision"};
    default:
      return {names(LawFamily{})[static_cast<std::size_t>(family)]};
  }
}

bool states_part(const Law<double>& law, std::string_view part) {
  bool found = false;
  Law<double>::fields(
      [&](const Field& f, const auto& member) {
        if constexpr (detail::Element<std::decay_t<decltype(member)>>::optional)
          found = found || (f.name == part && member.has_value());
      },
      law);
  return found;
}

std::string range(const std::string& from, const std::string& to) {
  if (from.empty()) return "up to " + to;
  return to.empty() ? "from " + from + " on" : from + " to " + to;
}

template <Dim D>
void warn_one(const char* what, const std::optional<double>& at,
              const std::optional<Quantity<D, double>>& from,
              const std::optional<Quantity<D, double>>& to, Hint hint, const std::string& law,
              Result& r) {
  if (!at) return;
  const bool below = from && *at < from->raw * (1 - 1e-9), above = to && *at > to->raw * (1 + 1e-9);
  if (!below && !above) return;
  const auto shown = [&](const std::optional<Quantity<D, double>>& x) {
    return x ? format_quantity(x->raw, D, hint) : std::string();
  };
  r.warnings.push_back(
      fmt::format("{} {} lies {} the runs that {} was fitted to ({}): an extrapolation", what,
                  format_quantity(*at, D, hint), below ? "below" : "above", law,
                  range(shown(from), shown(to))));
}

}  // namespace

std::string law_name(const Law<double>& law) {
  if (!law.id.empty()) return law.id;
  return law.name.empty() ? "this law" : law.name;
}

std::string law_constants(const Law<double>& law) {
  Constants c;
  Law<double>::fields(
      [&](const Field& f, const auto& member) {
        using T = std::decay_t<decltype(member)>;
        if constexpr (detail::Element<T>::optional) {
          using Inner = typename detail::Element<T>::type;
          if (!member) return;
          if constexpr (detail::is_quantity<Inner>)
            c.out.push_back(fmt::format("{} {}", f.symbol, write_quantity(member->raw, kOne)));
          else
            c.of(*member, law.losses ? std::string(f.name) + ": " : "");  // two params, two tokens
        }
      },
      law);
  return join(c.out, ", ");
}

std::string law_mark(const Law<double>& law) {
  return law.confidence == Confidence::kQualitative ? "qualitative" : "";
}

void check_law(const Law<double>& law, std::string_view field, const Asked& asked) {
  const std::string path(field);
  for (const char* part : parts_needed(law.family)) {
    if (states_part(law, part)) continue;
    asked
        .fault(path + ".family", fmt::format("{}: family {} needs its constants under '{}'", path,
                                             name_of(law.family), part))
        .help(
            "`reckon show besiroglu` is an example; `reckon schema law --format md` lists the "
            "keys");
    return;
  }
  const auto& x = law.allocation;
  if (x && !x->params && !x->tokens && !x->flops_per_token)
    asked.fault(path + ".allocation",
                fmt::format("{}: an allocation states params, tokens or flops_per_token", path));
  if (law.family == LawFamily::kKaplan && x && !(x->params && x->tokens))
    asked.fault(path + ".allocation",
                fmt::format("{}: family kaplan states both params and tokens", path));
  for (std::size_t i = 0; i < law.samples.size(); ++i) {
    LossTerms<double> t;
    if (std::sscanf(law.samples[i].c_str(), "%lf %lf %lf %lf %lf", &t.E.raw, &t.A.raw, &t.B.raw,
                    &t.alpha.raw, &t.beta.raw) == 5 &&
        t.A.raw > 0 && t.B.raw > 0 && t.alpha.raw > 0 && t.beta.raw > 0)
      continue;
    asked
        .fault(fmt::format("{}.samples.{}", path, i),
               fmt::format("{}.samples: '{}' is no set of constants", path, law.samples[i]))
        .help("write five numbers a line: E A B alpha beta");
    return;
  }
}

void head_law(const Law<double>& law, Result& r) {
  std::string title = law_name(law);
  if (!law.name.empty() && law.name != title) title += ": " + law.name;
  r.headline.emplace_back("law", fmt::format("{} ({})", title, name_of(law.confidence)));
  r.headline.emplace_back("constants", law_constants(law));
  r.headline.emplace_back("N counts", law.params_are);
  r.headline.emplace_back("C counts", law.flops_are);
  if (law.confidence == Confidence::kQualitative)
    r.warnings.push_back(fmt::format(
        "{} is qualitative: its printed constants do not give its source's own figures; trust the "
        "trend, not the number",
        law_name(law)));
}

void warn_outside(const Law<double>& law, const LawAt& at, Result& r) {
  const LawRange<double>& v = law.valid;
  const std::string name = law_name(law);
  warn_one("compute", at.flops, v.flops_from, v.flops_to, Hint::kNone, name, r);
  warn_one("a size of", at.params, v.params_from, v.params_to, Hint::kParams, name, r);
  warn_one("a run of", at.tokens, v.tokens_from, v.tokens_to, Hint::kTokens, name, r);
}

std::vector<LossTerms<double>> law_samples(const Law<double>& law) {
  std::vector<LossTerms<double>> out;
  for (const std::string& line : law.samples) {
    LossTerms<double>& t = out.emplace_back();
    std::sscanf(line.c_str(), "%lf %lf %lf %lf %lf", &t.E.raw, &t.A.raw, &t.B.raw, &t.alpha.raw,
                &t.beta.raw);
  }
  return out;
}

void add_interval(std::string_view id, std::vector<double> values, Result& r) {
  const Metric* of = r.find(id);
  if (!of || !of->has_value() || values.empty()) return;
  const Interval95 x = interval_95(std::move(values));
  Metric low = *of, high = *of;
  low.id += ".low";
  low.title += ": 2.5 % of refits lie below";
  low.value = x.low;
  high.id += ".high";
  high.title += ": 2.5 % of refits lie above";
  high.value = x.high;
  const auto place = static_cast<std::ptrdiff_t>(of - r.metrics.data()) + 1;
  r.metrics.insert(r.metrics.begin() + place, {low, high});
}

}  // namespace reckon
