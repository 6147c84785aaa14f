// kind: scaling. From one or two of parameters, tokens, compute, GPU time, money: the rest, and the loss.
//
//   kind: scaling
//   law: besiroglu             # a file in laws/
//   budget: 100000 USD         # with price, hardware and mfu; or flops, params, tokens, gpu_hours, days and gpus
//   price: 2.50 USD/h
//   hardware: h100-sxm
//   mfu: 40%
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/hardware.hpp"
#include "reckon/spec/law.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

// GPUs by the hour: what turns compute into time, money, energy and carbon dioxide.
template <class R>
struct OnHire {
  std::optional<Chip<R>> hardware;
  OnPeak<R> chip;
  std::optional<Ratio<R>> mfu;
  std::optional<Price<R>> price;
  std::optional<Watts<R>> power;
  std::optional<Quantity<kGram / kJoule, R>> carbon;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("hardware", "", "a chip in hardware/chips: its peak and power").by_name(),
      s.hardware...);
    OnPeak<R>::fields(v, s.chip...);
    v(Field("mfu", "MFU", "share of the peak that 6·N·D takes").efficiency(), s.mfu...);
    v(Field("price", "c_gpu", "of one GPU for an hour")
          .hint(Hint::kUsdPerHour)
          .limit(Limit::kPositive),
      s.price...);
    v(Field("power", "P_w", "of one GPU, in place of the chip's board limit")
          .limit(Limit::kPositive),
      s.power...);
    v(Field("carbon", "i_CO2", "carbon dioxide of the electricity: 400 g/kWh"), s.carbon...);
  }
};

// What laws of mixtures of experts and of narrow numbers ask for beside N and D.
template <class R>
struct OfLaw {
  std::optional<Count<R>> experts;
  std::optional<Ratio<R>> granularity, active;
  std::optional<Count<R>> weight_bits, activation_bits, cache_bits;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("experts", "n_E", "MoE laws: experts of a layer").degree(), s.experts...);
    v(Field("granularity", "G", "MoE laws: how many fine experts make a whole one")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.granularity...);
    v(Field("active", "A_share", "MoE laws: share of the experts that a token visits").efficiency(),
      s.active...);
    v(Field("weight_bits", "P_bw", "precision laws: bits of a weight in training").degree(),
      s.weight_bits...);
    v(Field("activation_bits", "P_ba", "precision laws: bits of an activation").degree(),
      s.activation_bits...);
    v(Field("cache_bits", "P_bkv", "precision laws: bits of a key or value").degree(),
      s.cache_bits...);
  }
};

template <class R>
struct ScalingQuestion {
  std::string name, comment;
  Law<R> law;
  std::optional<Flops<R>> flops;
  std::optional<Count<R>> params;
  std::optional<Model<R>> model;
  std::optional<Count<R>> tokens;
  std::optional<Ratio<R>> loss;
  std::optional<Seconds<R>> gpu_hours;
  std::optional<Dollars<R>> budget;
  std::optional<Seconds<R>> days;
  std::optional<Count<R>> gpus;
  OnHire<R> hire;
  std::optional<Law<R>> against;
  OfLaw<R> of;
  bool critical_batch = false, isoflop = false, compare_laws = false;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("law", "", "a file in laws/: `reckon list laws`").by_name().supplied(), s.law...);
    v(Field("flops", "C", "compute of the run").limit(Limit::kPositive), s.flops...);
    v(Field("params", "N", "parameters, counted as the law counts them")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.params...);
    v(Field("model", "", "in place of params: a model in models/, all its parameters").by_name(),
      s.model...);
    v(Field("tokens", "D", "tokens of the run").hint(Hint::kTokens).limit(Limit::kPositive),
      s.tokens...);
    v(Field("loss", "L", "a loss to reach, nats a token")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.loss...);
    v(Field("gpu_hours", "T_gpu", "GPU time to spend")
          .hint(Hint::kGpuHours)
          .limit(Limit::kPositive),
      s.gpu_hours...);
    v(Field("budget", "cost", "money to spend; needs price").limit(Limit::kPositive), s.budget...);
    v(Field("days", "T_run_time", "length of the run").hint(Hint::kDays).limit(Limit::kPositive),
      s.days...);
    v(Field("gpus", "n_GPU", "GPUs of the run").degree(), s.gpus...);
    OnHire<R>::fields(v, s.hire...);
    v(Field("against", "", "another law: its split of the same compute, judged by `law`").by_name(),
      s.against...);
    OfLaw<R>::fields(v, s.of...);
    v(Field("critical_batch", "",
            "Kaplan's law: the compute is of a run at the critical batch, twice its C_min"),
      s.critical_batch...);
    v(Field("isoflop", "", "the loss of other sizes at the same compute, as table and plot"),
      s.isoflop...);
    v(Field("compare_laws", "", "the same question under every law"), s.compare_laws...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
