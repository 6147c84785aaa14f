// One decoder layer, kernel after kernel: what constants of the single kernels are held against.
#include <cmath>
#include <cstring>

#include "case.hpp"
#include "core/reference.hpp"

namespace reckon::bench::cpu {
namespace {

class LayerCase final : public CpuCase {
 public:
  LayerCase(Cpu& cpu, const Problem& p)
      : CpuCase(cpu, p),
        l_{size("batch"), size("length"),   size("hidden"),     size("inner"),
           size("heads"), size("kv_heads"), size("head_width"), p.op == "layer-prefill"},
        T_(l_.tokens()) {}

  bool allocate(Refusal& refusal, std::string& why) {
    sizes_ = {l_.qkv_width() * l_.hidden, l_.hidden * l_.query_width(), 2 * l_.inner * l_.hidden,
              l_.hidden * l_.inner};
    cache_ = l_.prompt ? 0 : l_.batch * l_.kv_heads * l_.length * l_.head_width;
    for (const std::int64_t s : sizes_) one_ += s;
    one_ += 2 * cache_;
    if (plan_copies(4. * static_cast<double>(one_), refusal, why) == 0) return false;
    data_ = Floats(one_ * static_cast<std::int64_t>(copies_));
    fill();
    x_ = Floats(T_ * l_.hidden);
    residual_ = Floats(T_ * l_.hidden);
    normed_ = Floats(T_ * l_.hidden);
    qkv_ = Floats(T_ * l_.qkv_width());
    attended_ = Floats(T_ * l_.query_width());
    both_ = Floats(T_ * 2 * l_.inner);
    gated_ = Floats(T_ * l_.inner);
    out_ = Floats(T_ * l_.hidden);
    scores_.resize(static_cast<std::size_t>(cpu_.pool.size()));
    for (Floats& s : scores_)
      s = Floats(std::max<std::int64_t>(4, l_.heads / l_.kv_heads) * l_.length);
    reset();
    return true;
  }

  Check check() override {
    for (std::int64_t i = 0; i < out_.size(); ++i) out_[i] = NAN;
    reset();
    once(0);
    const std::int64_t tokens = l_.prompt ? 2 : 1;
    const std::vector<double> want = layer_outputs(l_, kGrid, tokens);
    double scale = 0;
    for (const double x : want) scale = std::max(scale, std::abs(x));
    Check c = start_check("fp32", "fp32");
    for (std::size_t i = 0; i < want.size(); ++i)
      compare(c, static_cast<double>(out_[static_cast<std::int64_t>(i)]), want[i], 10 * scale);
    return c;
  }

 private:
  void fill() {
    const std::int64_t depths[] = {l_.hidden, l_.query_width(), l_.hidden, l_.inner};
    const LayerTensor tensors[] = {kQkv, kOutput, kGateUp, kDown};
    float* at = data_.data();
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < sizes_[i]; ++j)
        at[packed_index(j / depths[i], j % depths[i], depths[i])] =
            layer_weight(tensors[i], j / depths[i], j % depths[i], depths[i], kGrid);
      at += sizes_[i];
    }
    for (const LayerTensor t : {kCacheKeys, kCacheValues})
      for (std::int64_t i = 0; i < cache_; ++i) *at++ = layer_value(t, i, kGrid);
    for (std::size_t i = 1; i < copies_; ++i)
      std::memcpy(data_.data() + static_cast<std::int64_t>(i) * one_, data_.data(),
                  static_cast<std::size_t>(one_) * sizeof(float));
  }

  // Runs add to the residual, as a model's layers do.
  void reset() {
    for (std::int64_t i = 0; i < T_ * l_.hidden; ++i) {
      x_[i] = layer_value(kInput, i, kGrid);
      residual_[i] = layer_value(kResidual, i, kGrid);
    }
  }

  void product(const Floats& a, const float* w, const Floats& c, std::int64_t n, std::int64_t k) {
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(n / panel_width(), 1, part, parts);
      multiply(a.data(), w, c.data(), T_, n, k, from, to);
    });
  }

  void norm(const Floats& x) {
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(T_, 1, part, parts);
      const std::int64_t at = from * l_.hidden;
      add_norm(x.data() + at, residual_.data() + at, normed_.data() + at, to - from, l_.hidden);
    });
  }

  // The new token's keys and values go to the end of its cache.
  void store(float* keys, float* values, std::int64_t sequence, std::int64_t kv) const {
    const std::int64_t d = l_.head_width;
    const std::int64_t at = cache_index(l_, sequence, kv, l_.length - 1, 0);
    const float* row = qkv_.data() + sequence * l_.qkv_width();
    const auto bytes = static_cast<std::size_t>(d) * sizeof(float);
    std::memcpy(keys + at, row + (l_.heads + kv) * d, bytes);
    std::memcpy(values + at, row + (l_.heads + l_.kv_heads + kv) * d, bytes);
  }

  void attention(float* cache) {
    const std::int64_t d = l_.head_width, group = l_.heads / l_.kv_heads;
    float *keys = cache, *values = cache + cache_;
    cpu_.pool.run([&](int part, int parts) {
      float* scores = scores_[static_cast<std::size_t>(part)].data();
      const auto [from, to] =
          Cpu::part(l_.batch * (l_.prompt ? l_.heads : l_.kv_heads), 1, part, parts);
      for (std::int64_t job = from; job < to; ++job) {
        if (!l_.prompt) {
          const std::int64_t s = job / l_.kv_heads, kv = job % l_.kv_heads;
          store(keys, values, s, kv);
          attend_one(qkv_.data() + s * l_.qkv_width() + kv * group * d,
                     keys + cache_index(l_, s, kv, 0, 0), values + cache_index(l_, s, kv, 0, 0),
                     attended_.data() + (s * l_.heads + kv * group) * d, scores, group, l_.length,
                     d);
          continue;
        }
        const std::int64_t s = job / l_.heads, head = job % l_.heads, width = l_.qkv_width();
        const float* rows = qkv_.data() + s * l_.length * width;
        attend_prompt(rows + head * d, rows + (l_.heads + head / group) * d,
                      rows + (l_.heads + l_.kv_heads + head / group) * d,
                      attended_.data() + s * l_.length * l_.query_width() + head * d, scores, 0,
                      l_.length, l_.length, d, width, width, l_.query_width());
      }
    });
  }

  void once(std::size_t copy) override {
    float* w = data_.data() + static_cast<std::int64_t>(copy) * one_;
    norm(x_);
    product(normed_, w, qkv_, l_.qkv_width(), l_.hidden);
    attention(w + sizes_[0] + sizes_[1] + sizes_[2] + sizes_[3]);
    product(attended_, w + sizes_[0], out_, l_.hidden, l_.query_width());
    norm(out_);
    product(normed_, w + sizes_[0] + sizes_[1], both_, 2 * l_.inner, l_.hidden);
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(T_, 1, part, parts);
      swiglu(both_.data() + from * 2 * l_.inner, gated_.data() + from * l_.inner, to - from,
             l_.inner);
    });
    product(gated_, w + sizes_[0] + sizes_[1] + sizes_[2], out_, l_.hidden, l_.inner);
  }

  LayerSizes l_;
  std::int64_t T_, cache_ = 0, one_ = 0;
  std::array<std::int64_t, 4> sizes_{};
  Floats data_, x_, residual_, normed_, qkv_, attended_, both_, gated_, out_;
  std::vector<Floats> scores_;
};

}  // namespace

Prepared prepare_layer(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why) {
  refusal = Refusal::kNotHere;
  const std::int64_t d = p.size("head_width"), heads = p.size("heads"), kv = p.size("kv_heads");
  const std::int64_t w = panel_width();
  const bool fits = (heads + 2 * kv) * d % w == 0 && p.size("hidden") % w == 0 &&
                    2 * p.size("inner") % w == 0 && d % 16 == 0 && heads % kv == 0 &&
                    p.size("length") % 4 == 0;
  if (!fits) {
    why = "widths must be multiples of " + std::to_string(w) +
          ", head_width of 16, length of 4, heads of kv_heads";
    return nullptr;
  }
  auto c = std::make_unique<LayerCase>(cpu, p);
  return c->allocate(refusal, why) ? std::move(c) : nullptr;
}

}  // namespace reckon::bench::cpu
