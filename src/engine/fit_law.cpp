#include "fit_law.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/doc/value.hpp"
#include "reckon/doc/write.hpp"

namespace reckon {
namespace {

using doc::Value;

std::string digits(double x) { return write_quantity(x, kOne); }

Value constants(const FitReport& r, std::initializer_list<const char*> keys) {
  Value out = doc::mapping();
  for (const FitConstant& c : r.constants)
    for (const char* key : keys)
      if (c.key == key) doc::set(out, key, doc::scalar(digits(c.value)));
  return out;
}

Value intervals(const FitReport& r) {
  Value out = doc::sequence();
  for (const FitConstant& c : r.constants) {
    if (!c.low) continue;
    Value one = doc::mapping();
    doc::set(one, "of", doc::scalar(c.key));
    doc::set(one, "low", doc::scalar(digits(*c.low)));
    doc::set(one, "high", doc::scalar(digits(*c.high)));
    out.items.push_back(std::move(one));
  }
  return out;
}

Value range(const std::vector<RunRow>& kept) {
  Value out = doc::mapping();
  const auto ends = [&](double RunRow::*member, const char* from, const char* to, Dim dim,
                        Hint hint) {
    const auto [a, b] = std::minmax_element(
        kept.begin(), kept.end(),
        [member](const RunRow& x, const RunRow& y) { return x.*member < y.*member; });
    doc::set(out, from, doc::scalar(write_quantity((*a).*member, dim, hint)));
    doc::set(out, to, doc::scalar(write_quantity((*b).*member, dim, hint)));
  };
  ends(&RunRow::params, "params_from", "params_to", kOne, Hint::kParams);
  ends(&RunRow::tokens, "tokens_from", "tokens_to", kOne, Hint::kTokens);
  ends(&RunRow::flops, "flops_from", "flops_to", kFlop, Hint::kNone);
  return out;
}

std::string made_how(const FitReport& r, std::size_t runs) {
  const FitRequest& q = r.request;
  std::string s = fmt::format("reckon fit {}", q.file);
  if (q.approach == FitApproach::kIsoflop) s += " --approach isoflop";
  if (q.drop_highest > 0) s += fmt::format(" --drop-highest {}", q.drop_highest);
  if (q.drop_above) s += fmt::format(" --drop-above {}", digits(*q.drop_above));
  s += fmt::format(": {} of {} runs", runs, r.read);
  if (q.approach == FitApproach::kLoss)
    s += fmt::format(", sum of Huber terms (δ {:g} on log loss) {:.10g}", q.delta, r.objective);
  if (r.resamples > 0) s += fmt::format(", {} resamples with seed {}", r.resamples, q.seed);
  return s;
}

}  // namespace

std::string law_text(const FitReport& r, const std::vector<RunRow>& kept) {
  const bool loss = r.request.approach == FitApproach::kLoss;
  Value law = doc::mapping();
  const auto set = [&law](const char* key, const std::string& text) {
    doc::set(law, key, doc::scalar(text));
  };
  set("kind", "law");
  set("name", r.request.name.empty() ? "Fitted to " + r.request.file : r.request.name);
  set("family", loss ? "loss" : "allocation");
  set("confidence", "reproduced");
  set("params_are", "as the runs' file counts them");
  set("flops_are", "6·N·D, or as the runs' file counts them");
  if (loss) {
    doc::set(law, "loss", constants(r, {"E", "A", "B", "alpha", "beta"}));
  } else {
    Value allocation = doc::mapping();
    doc::set(allocation, "params", constants(r, {"scale", "exponent"}));
    doc::set(law, "allocation", std::move(allocation));
  }
  doc::set(law, "valid", range(kept));
  if (Value x = intervals(r); !x.items.empty()) doc::set(law, "intervals", std::move(x));
  if (!r.samples.empty()) {
    Value list = doc::sequence();
    for (const std::string& s : r.samples) list.items.push_back(doc::scalar(s));
    doc::set(law, "samples", std::move(list));
  }
  set("source", made_how(r, kept.size()));
  return doc::write_yaml(law);
}

}  // namespace reckon
