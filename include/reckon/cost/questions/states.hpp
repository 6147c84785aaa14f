// The answer to states: DDP, ZeRO-1, ZeRO-2, FSDP and HSDP side by side.
//
//   StatesAnswer<double> a = answer(question);
//   a.ways[3].states.total, a.ways[3].traffic          // FSDP
//
// One micro-batch a step, every GPU a data rank. Memory is that of the states alone; traffic is a
// step's collectives, one after the other.
#pragma once

#include <array>
#include <string>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/cost/step.hpp"
#include "reckon/spec/questions/states.hpp"

namespace reckon {

inline const Formula kStatesTraffic{"states.traffic_bytes", "bytes", "bytes a GPU sends in a step",
                                    "sum over its collectives"};
inline const Formula kTraffic{"states.traffic", "traffic", "bytes sent over those of DDP",
                              "Rajbhandari 2020, section 7", Hint::kRatio};
inline const Formula kTokensToHide{
    "states.tokens_to_hide", "T_hide", "tokens of a GPU and step above which the traffic hides",
    "as much compute as communication: time · P · MFU / FLOPs of a token", Hint::kTokens};
inline const Formula kGpusToFit{"states.gpus_to_fit", "D_fit",
                                "fewest GPUs whose memory holds them",
                                "whole + shared / D ≤ capacity, solved for D", Hint::kCount};
inline const Formula kPowerOfTwoToFit{"states.power_of_two_to_fit", "D_2",
                                      "the power of two above it", "2^⌈log2 D⌉", Hint::kCount};
inline const Formula kLargestModel{"states.largest_model", "N_max",
                                   "parameters whose states fill a GPU",
                                   "capacity over bytes a parameter", Hint::kParams};

// How data ranks share the states.
struct StateWay {
  const char* id;
  const char* title;
  int zero;
  bool in_node;
};
inline constexpr StateWay kStateWays[] = {{"ddp", "DDP", 0, false},
                                          {"zero1", "ZeRO-1", 1, false},
                                          {"zero2", "ZeRO-2", 2, false},
                                          {"fsdp", "ZeRO-3, FSDP", 3, false},
                                          {"hsdp", "HSDP, ZeRO-3 in a node", 3, true}};

template <class R>
struct StateWayAnswer {
  const char* why_not = nullptr;  // it can't be dealt out so
  std::optional<States<R>> states;
  std::optional<Bytes<R>> total, per_param, sent;
  std::optional<bool> fits;
  std::optional<Ratio<R>> traffic;
  std::optional<Seconds<R>> time, time_in_node;
  std::optional<Count<R>> tokens_to_hide, gpus_to_fit, power_of_two, largest;
};

template <class R>
struct StatesAnswer {
  Count<R> P, D, N_node;
  bool crosses = false, has_links = false, has_mfu = false, has_capacity = false;
  std::array<StateWayAnswer<R>, std::size(kStateWays)> ways;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
StatesAnswer<R> answer(const StatesQuestion<R>& question);

namespace detail {

inline constexpr const char* kNoLinks = "no link is stated: link: 450 GB/s, or cluster: 8xh100-sxm";
inline constexpr const char* kNoCapacity =
    "no capacity is stated: capacity: 80 GB, or cluster: 8xh100-sxm";
inline constexpr const char* kAlone = "one GPU sends nothing";
inline constexpr const char* kNoHiding =
    "needs a peak and an efficiency: cluster: 8xh100-sxm, assume: {train.mfu: 40%}";
inline constexpr const char* kNoSequence =
    "assume.flops counts attention: sequence: 8192, of a model with layers";
inline constexpr const char* kNeverFits = "no number of GPUs: what is not shared is too large";

}  // namespace detail

template <class R>
template <class V>
void StatesAnswer<R>::metrics(V&& v) const {
  using namespace detail;
  v(kTotalParameters, P);
  v(MetricInfo{"mesh.data", "GPUs that share the states", Hint::kCount}, D);
  const bool alone = static_cast<bool>(D <= 1);
  for (std::size_t i = 0; i < std::size(kStateWays); ++i) {
    const StateWayAnswer<R>& w = ways[i];
    const std::string id = kStateWays[i].id, name = std::string(kStateWays[i].title) + ": ";
    const auto why = [&w](const char* reason) { return w.why_not ? w.why_not : reason; };
    const auto part = [&w](auto member) {
      using T = std::decay_t<decltype((*w.states).*member)>;
      return w.states ? std::optional<T>((*w.states).*member) : std::nullopt;
    };
    v(MetricInfo{id + ".weights", name + "weights"}, part(&States<R>::weights), why(""));
    if (w.states) {
      for (const ClassWeights<R>& c : w.states->classes) {
        const std::string_view whole = kClassWeights[c.at].id;  // memory.weights.vectors
        v(MetricInfo{id + "." + std::string(whole.substr(whole.find('.') + 1)),
                     name + std::string(kClassWeights[c.at].title)},
          c.bytes);
      }
    }
    v(MetricInfo{id + ".gradients", name + "gradients"}, part(&States<R>::gradients), why(""));
    v(MetricInfo{id + ".optimizer", name + "optimizer and master copy"},
      part(&States<R>::optimizer), why(""));
    v(MetricInfo{id + ".states", name + "states of a GPU"}, w.total, why(""));
    v(MetricInfo{id + ".bytes_per_param", name + "bytes of a parameter on a GPU", Hint::kPerParam},
      w.per_param, why(""));
    v(MetricInfo{id + ".fits", name + "the states fit", Hint::kYesNo}, w.fits.value_or(false),
      w.fits ? nullptr : why(kNoCapacity));
    v(MetricInfo{id + ".bytes", name + "bytes a GPU sends in a step"}, w.sent, why(""));
    v(MetricInfo{id + ".traffic", name + "traffic over that of DDP", Hint::kRatio}, w.traffic,
      why(kAlone));
    v(MetricInfo{id + ".time_in_node", name + "time of it among the GPUs of a node"},
      w.time_in_node, why(alone ? kAlone : kNoLinks));
    v(MetricInfo{id + ".time", name + "time of it among all GPUs"}, w.time,
      why(alone ? kAlone : kNoLinks));
    v(MetricInfo{id + ".tokens_to_hide", name + "tokens of a GPU and step that hide it",
                 Hint::kTokens},
      w.tokens_to_hide,
      why(alone        ? kAlone
          : !has_links ? kNoLinks
          : !has_mfu   ? kNoHiding
                       : kNoSequence));
    v(MetricInfo{id + ".gpus_to_fit", name + "fewest GPUs that hold the states", Hint::kCount},
      w.gpus_to_fit, has_capacity ? kNeverFits : kNoCapacity);
    v(MetricInfo{id + ".power_of_two_to_fit", name + "as a power of two", Hint::kCount},
      w.power_of_two, has_capacity ? kNeverFits : kNoCapacity);
    v(MetricInfo{id + ".largest_model", name + "largest model whose states fit", Hint::kParams},
      w.largest, why(kNoCapacity));
  }
}

}  // namespace reckon
