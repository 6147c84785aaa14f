// The attention cases: their inputs, and what they are held against.
#include <numeric>

#include "attention.cuh"
#include "core/reference.hpp"
#include "paging.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr std::uint64_t kSeedQ = 21;

class AttentionCase final : public GpuCase {
 public:
  AttentionCase(Gpu& gpu, const Problem& p)
      : GpuCase(gpu, p),
        prompt_(p.op == "attention-prefill"),
        l_{size("batch"),    size("length"),     0,      0, size("heads"),
           size("kv_heads"), size("head_width"), prompt_} {}

  bool allocate(Refusal& refusal, std::string& why) {
    const std::int64_t d = l_.head_width;
    const std::int64_t slots = prompt_ ? l_.length : pages_of(l_.length) * kPage;
    cache_ = l_.batch * l_.kv_heads * slots * d;
    queries_ = l_.batch * l_.heads * (prompt_ ? l_.length : 1);
    const std::int64_t work = prompt_ ? 0 : work_size();
    const double fixed = 4. * static_cast<double>(queries_ * d + work);
    if (plan_copies(4. * static_cast<double>(cache_), fixed, refusal, why) == 0) return false;
    const auto bytes = [](std::int64_t n, std::size_t each) {
      return static_cast<std::size_t>(n) * each;
    };
    q_ = Buffer(bytes(queries_ * d, 2));
    out_ = Buffer(bytes(queries_ * d, 2));
    keys_ = Buffer(bytes(cache_, 2) * copies_);
    values_ = Buffer(bytes(cache_, 2) * copies_);
    fill(q_.as<void>(), Dtype::kBf16, queries_ * d, kSeedQ, 1, gpu_.stream);
    for (std::size_t i = 0; i < copies_; ++i) {
      fill(keys_.as<bf16>(i * bytes(cache_, 2)), Dtype::kBf16, cache_, kCacheKeys, 1, gpu_.stream);
      fill(values_.as<bf16>(i * bytes(cache_, 2)), Dtype::kBf16, cache_, kCacheValues, 1,
           gpu_.stream);
    }
    if (!prompt_) {
      pages_ = shuffled_pages(l_.batch * pages_of(l_.length));
      table_ = Buffer(bytes(static_cast<std::int64_t>(pages_.size()), sizeof(int)));
      upload(table_.as<void>(), pages_.data(), table_.bytes(), gpu_.stream);
      work_ = Buffer(bytes(work, sizeof(float)));
    }
    must(cudaStreamSynchronize(gpu_.stream), "fill");
    return true;
  }

  Check check() override {
    out_.poison();
    launch_once();
    Check c = start_check("bf16", "bf16");
    const std::int64_t d = l_.head_width;
    for (const std::int64_t row : sampled(queries_, 24)) {
      std::vector<std::int64_t> at(static_cast<std::size_t>(d));
      std::iota(at.begin(), at.end(), row * d);
      const std::vector<float> got = gather(out_.as<void>(), Dtype::kBf16, at, gpu_.stream);
      const std::vector<double> want = want_of(row);
      // Weights are rounded to bf16 before they meet the values, whose size is at most one.
      for (std::size_t j = 0; j < got.size(); ++j)
        compare(c, static_cast<double>(got[j]), want[j], kWeightRounding);
    }
    return c;
  }

 private:
  static constexpr double kWeightRounding = 1024;  // of 2^-18: 2^-8

  std::int64_t work_size() const {
    return decode_work(static_cast<int>(l_.batch), static_cast<int>(l_.length),
                       static_cast<int>(l_.heads), static_cast<int>(l_.kv_heads),
                       static_cast<int>(l_.head_width), gpu_.sms);
  }

  // Prompt: rows are sequence, position, head; decode: sequence, head.
  std::vector<double> want_of(std::int64_t row) const {
    const std::int64_t d = l_.head_width, head = row % l_.heads;
    const std::int64_t position = prompt_ ? row / l_.heads % l_.length : 0;
    const std::int64_t sequence = row / l_.heads / (prompt_ ? l_.length : 1);
    const std::int64_t kv = head / (l_.heads / l_.kv_heads);
    const int steps = grid_of(Dtype::kBf16);
    const auto of = [&](LayerTensor t) -> Cells {
      return [this, t, sequence, kv, d, steps](std::int64_t p, std::int64_t j) {
        return static_cast<double>(layer_value(t, place(sequence, kv, p) * d + j, steps));
      };
    };
    std::vector<double> query;
    for (std::int64_t j = 0; j < d; ++j)
      query.push_back(static_cast<double>(
          random_on_grid(kSeedQ, static_cast<std::uint64_t>(row * d + j), steps)));
    return attend(query, prompt_ ? position + 1 : l_.length, of(kCacheKeys), of(kCacheValues));
  }

  // Row of the cache in which a token's keys lie.
  std::int64_t place(std::int64_t sequence, std::int64_t kv, std::int64_t position) const {
    if (prompt_) return (sequence * l_.length + position) * l_.kv_heads + kv;
    const std::int64_t page =
        pages_[static_cast<std::size_t>(sequence * pages_of(l_.length) + position / kPage)];
    return (page * l_.kv_heads + kv) * kPage + position % kPage;
  }

  void launch(std::size_t copy, cudaStream_t s) override {
    const std::size_t at = copy * static_cast<std::size_t>(cache_) * sizeof(bf16);
    const auto *keys = keys_.as<bf16>(at), *values = values_.as<bf16>(at);
    const int batch = static_cast<int>(l_.batch), length = static_cast<int>(l_.length),
              heads = static_cast<int>(l_.heads), kv = static_cast<int>(l_.kv_heads),
              d = static_cast<int>(l_.head_width);
    if (prompt_)
      prompt_attention(q_.as<bf16>(), keys, values, out_.as<bf16>(), batch, length, heads, kv, d,
                       l_.query_width(), l_.kv_heads * d, l_.query_width(), s);
    else
      decode_attention(q_.as<bf16>(), keys, values, table_.as<int>(), out_.as<bf16>(),
                       work_.as<float>(), batch, length, heads, kv, d, l_.query_width(), gpu_.sms,
                       s);
  }

  bool prompt_;
  LayerSizes l_;
  std::int64_t cache_ = 0, queries_ = 0;
  Buffer q_, keys_, values_, out_, table_, work_;
  std::vector<int> pages_;
};

}  // namespace

Prepared prepare_attention(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  const std::int64_t d = p.size("head_width"), group = p.size("heads") / p.size("kv_heads");
  if (p.dtype != "bf16") return refuse(refusal, why, "our own attention is in bf16");
  if (gpu.sm < 80) return refuse(refusal, why, "bf16 tensor cores need sm_80 or newer");
  if (d != 64 && d != 128) return refuse(refusal, why, "head_width of 64 or 128");
  if (group < 1 || group > 16 || p.size("heads") % p.size("kv_heads") != 0)
    return refuse(refusal, why, "one to 16 heads for each kv head");
  auto c = std::make_unique<AttentionCase>(gpu, p);
  if (!c->allocate(refusal, why)) return nullptr;
  return c;
}

}  // namespace reckon::bench::cuda
