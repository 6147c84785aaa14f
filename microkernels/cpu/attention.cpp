// Attention in fp32: one new token over its cache, and a prompt over itself.
#include <cmath>
#include <cstring>

#include "case.hpp"
#include "core/reference.hpp"

namespace reckon::bench::cpu {
namespace {

constexpr std::uint64_t kSeedQ = 21;

class AttentionCase final : public CpuCase {
 public:
  AttentionCase(Cpu& cpu, const Problem& p)
      : CpuCase(cpu, p),
        prompt_(p.op == "attention-prefill"),
        l_{size("batch"),    size("length"),     0,      0, size("heads"),
           size("kv_heads"), size("head_width"), prompt_} {}

  bool allocate(Refusal& refusal, std::string& why) {
    const std::int64_t kv = l_.batch * l_.kv_heads * l_.length * l_.head_width;
    if (plan_copies(8. * static_cast<double>(kv), refusal, why) == 0) return false;
    queries_ = l_.batch * l_.heads * (prompt_ ? l_.length : 1);
    q_ = Floats(queries_ * l_.head_width);
    out_ = Floats(queries_ * l_.head_width);
    for (std::int64_t i = 0; i < q_.size(); ++i)
      q_[i] = random_on_grid(kSeedQ, static_cast<std::uint64_t>(i), kGrid);
    keys_ = Floats(kv * static_cast<std::int64_t>(copies_));
    values_ = Floats(kv * static_cast<std::int64_t>(copies_));
    one_ = kv;
    for (std::int64_t i = 0; i < kv; ++i) {
      keys_[i] = layer_value(kCacheKeys, i, kGrid);
      values_[i] = layer_value(kCacheValues, i, kGrid);
    }
    for (std::size_t i = 1; i < copies_; ++i)
      for (const Floats* f : {&keys_, &values_})
        std::memcpy(f->data() + static_cast<std::int64_t>(i) * kv, f->data(),
                    static_cast<std::size_t>(kv) * sizeof(float));
    const std::int64_t group = l_.heads / l_.kv_heads;
    scores_.resize(static_cast<std::size_t>(cpu_.pool.size()));
    for (Floats& s : scores_) s = Floats(std::max<std::int64_t>(4, group) * l_.length);
    return true;
  }

  Check check() override {
    for (std::int64_t i = 0; i < out_.size(); ++i) out_[i] = NAN;
    once(0);
    Check c = start_check("fp32", "fp32");
    for (const std::int64_t row : sampled(queries_, 24)) compare_row(c, row);
    return c;
  }

 private:
  // Rows of queries: sequence, head and, in a prompt, position.
  void compare_row(Check& c, std::int64_t row) const {
    const std::int64_t d = l_.head_width, each = prompt_ ? l_.length : 1;
    const std::int64_t position = row % each, head = row / each % l_.heads,
                       sequence = row / each / l_.heads;
    const std::int64_t kv = head / (l_.heads / l_.kv_heads);
    const auto of = [&](LayerTensor t) -> Cells {
      return [this, t, sequence, kv](std::int64_t p, std::int64_t j) {
        return static_cast<double>(layer_value(t, cache_index(l_, sequence, kv, p, j), kGrid));
      };
    };
    std::vector<double> query;
    for (std::int64_t j = 0; j < d; ++j) query.push_back(static_cast<double>(q_[row * d + j]));
    const auto want =
        attend(query, prompt_ ? position + 1 : l_.length, of(kCacheKeys), of(kCacheValues));
    for (std::int64_t j = 0; j < d; ++j)
      compare(c, static_cast<double>(out_[row * d + j]), want[static_cast<std::size_t>(j)], 1);
  }

  void once(std::size_t copy) override {
    const float* keys = keys_.data() + static_cast<std::int64_t>(copy) * one_;
    const float* values = values_.data() + static_cast<std::int64_t>(copy) * one_;
    const std::int64_t d = l_.head_width, group = l_.heads / l_.kv_heads;
    const std::int64_t cells = l_.length * d;
    cpu_.pool.run([&](int part, int parts) {
      float* scores = scores_[static_cast<std::size_t>(part)].data();
      const std::int64_t jobs = l_.batch * (prompt_ ? l_.heads : l_.kv_heads);
      const auto [from, to] = Cpu::part(jobs, 1, part, parts);
      for (std::int64_t job = from; job < to; ++job) {
        if (!prompt_) {
          attend_one(q_.data() + job * group * d, keys + job * cells, values + job * cells,
                     out_.data() + job * group * d, scores, group, l_.length, d);
          continue;
        }
        const std::int64_t at = job / l_.heads * l_.kv_heads + job % l_.heads / group;
        attend_prompt(q_.data() + job * cells, keys + at * cells, values + at * cells,
                      out_.data() + job * cells, scores, 0, l_.length, l_.length, d, d, d, d);
      }
    });
  }

  bool prompt_;
  LayerSizes l_;
  std::int64_t queries_ = 0, one_ = 0;
  Floats q_, keys_, values_, out_;
  std::vector<Floats> scores_;
};

}  // namespace

Prepared prepare_attention(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why) {
  refusal = Refusal::kNotHere;
  if (p.size("heads") % p.size("kv_heads") != 0)
    why = "heads must be a multiple of kv_heads";
  else if (p.size("head_width") % 16 != 0 || p.size("length") % 4 != 0)
    why = "head_width must be a multiple of 16, length of 4";
  if (!why.empty()) return nullptr;
  auto c = std::make_unique<AttentionCase>(cpu, p);
  return c->allocate(refusal, why) ? std::move(c) : nullptr;
}

}  // namespace reckon::bench::cpu
