// The words of a load: how requests arrive, how long they are, and how an engine admits and orders them.
#pragma once

#include <array>

namespace reckon {

// Times between requests: independent and exponential; gamma with a stated spread; or Poisson in bursts, with pauses.
enum class ArrivalKind { kPoisson, kGamma, kBursts };
constexpr auto names(ArrivalKind) { return std::array{"poisson", "gamma", "bursts"}; }

// Lengths in tokens, by their mean and their spread (standard deviation over mean).
enum class LengthShape { kConstant, kUniform, kNormal, kLognormal };
constexpr auto names(LengthShape) {
  return std::array{"constant", "uniform", "normal", "lognormal"};
}

// What a step takes of the prompts: shared chunks of several, a chunk of one alone, or whole ones before any decode.
enum class PromptSteps { kShared, kAlone, kFirst };
constexpr auto names(PromptSteps) { return std::array{"shared", "alone", "first"}; }

// Prompts in chunks beside the decodes, or whole in steps of their own that hold the decodes up.
enum class StepOrder { kChunked, kPrefillFirst };
constexpr auto names(StepOrder) { return std::array{"chunked", "prefill_first"}; }

// Cache for the longest that a sequence can become, at admission; or block by block as it grows.
enum class CacheReserve { kLongest, kOnDemand };
constexpr auto names(CacheReserve) { return std::array{"longest", "on_demand"}; }

// What happens to the cache of a sequence that must make room.
enum class Preempted { kRecompute, kSwap };
constexpr auto names(Preempted) { return std::array{"recompute", "swap"}; }

}  // namespace reckon
