// kind: attention. How long does the attention of one layer take: over a prompt, or of a new token over its cache?
//
//   kind: attention
//   phase: decode
//   batch: 32
//   length: 4096
//   heads: 32
//   kv_heads: 8
//   head_width: 128
//   chip: h200-sxm
#pragma once

#include <array>
#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/kernels.hpp"

namespace reckon {

enum class AttentionPhase { kPrefill, kDecode, kLatent };
constexpr auto names(AttentionPhase) { return std::array{"prefill", "decode", "latent"}; }

template <class R>
struct AttentionQuestion {
  std::string name, comment, dtype = "bf16", kv_dtype, library, kernels;
  AttentionPhase phase = AttentionPhase::kPrefill;
  Count<R> batch{1};
  std::optional<Count<R>> length, heads, kv_heads, head_width, window, cached, read_out;
  bool causal = true;
  std::optional<Chip<R>> chip;
  std::optional<PrefillKernel<R>> prefill;
  std::optional<DecodeKernel<R>> decode;
  std::optional<LatentKernel<R>> latent;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("phase", "",
            "prefill: a prompt over itself; decode: a token over its cache; latent: over an MLA "
            "cache")
          .required(),
      s.phase...);
    v(Field("batch", "b", "sequences").degree(), s.batch...);
    v(Field("length", "s", "tokens of a prompt, or in the cache")
          .required()
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.length...);
    v(Field("heads", "q", "query heads on this GPU").degree(), s.heads...);
    v(Field("kv_heads", "kv", "heads of the cache on this GPU").degree(), s.kv_heads...);
    v(Field("head_width", "d", "numbers of a head").degree(), s.head_width...);
    v(Field("window", "", "decode: the most tokens that are seen")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.window...);
    v(Field("cached", "r", "latent: numbers kept of a token, 576 in DeepSeek-V3").degree(),
      s.cached...);
    v(Field("read_out", "v", "latent: those that are values, 512 in DeepSeek-V3").degree(),
      s.read_out...);
    v(Field("causal", "", "prefill: a token sees those before it"), s.causal...);
    v(Field("dtype", "", "of the queries: bf16, fp8"), s.dtype...);
    v(Field("kv_dtype", "", "of the cache; as the queries if not stated"), s.kv_dtype...);
    v(Field("chip", "", "a file in hardware/chips").by_name().required(), s.chip...);
    v(Field("library", "", "whose kernel; the first that fits if not stated"), s.library...);
    v(Field("kernels", "", "a file in hardware/kernels or a path; the chip's if not stated"),
      s.kernels...);
    v(Field("prefill", "", "constants, filled in from that file"), s.prefill...);
    v(Field("decode", "", "constants, filled in from that file"), s.decode...);
    v(Field("latent", "", "constants, filled in from that file"), s.latent...);
    v(Field("assume", "", "no convention bears on it"), s.assume...);
  }
};

}  // namespace reckon
