// One decoder layer in bf16, kernel after kernel: products by cuBLASLt, the rest our own.
#include <algorithm>

#include "attention.cuh"
#include "core/reference.hpp"
#include "elementwise.cuh"
#include "lt.hpp"
#include "paging.hpp"

namespace reckon::bench::cuda {
namespace {

__global__ void input_kernel(bf16* x, bf16* residual, std::int64_t n, int steps) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    x[i] = __float2bfloat16(layer_value(kInput, i, steps));
    residual[i] = __float2bfloat16(layer_value(kResidual, i, steps));
  }
}

// The cache's values go where their page lies.
__global__ void cache_kernel(bf16* keys, bf16* values, const int* pages, LayerSizes l, int slots,
                             int steps) {
  const std::int64_t n = l.batch * l.kv_heads * l.length * l.head_width;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t j = i % l.head_width, t = i / l.head_width % l.length;
    const std::int64_t kv = i / l.head_width / l.length % l.kv_heads;
    const std::int64_t sequence = i / l.head_width / l.length / l.kv_heads;
    const std::int64_t page = pages[sequence * slots + t / kPage];
    const std::int64_t to = ((page * l.kv_heads + kv) * kPage + t % kPage) * l.head_width + j;
    keys[to] = __float2bfloat16(layer_value(kCacheKeys, i, steps));
    values[to] = __float2bfloat16(layer_value(kCacheValues, i, steps));
  }
}

// The new token's keys and values go to the end of its cache. A block a sequence.
__global__ void append_kernel(const bf16* qkv, bf16* keys, bf16* values, const int* pages,
                              LayerSizes l, int slots) {
  const std::int64_t sequence = blockIdx.x, t = l.length - 1, width = l.kv_heads * l.head_width;
  const std::int64_t page = pages[sequence * slots + t / kPage];
  const bf16* row = qkv + sequence * l.qkv_width() + l.query_width();
  for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
    const std::int64_t kv = i / l.head_width, j = i % l.head_width;
    const std::int64_t to = ((page * l.kv_heads + kv) * kPage + t % kPage) * l.head_width + j;
    keys[to] = row[i];
    values[to] = row[width + i];
  }
}

class LayerCase final : public GpuCase {
 public:
  LayerCase(Gpu& gpu, const Problem& p)
      : GpuCase(gpu, p),
        l_{size("batch"), size("length"),   size("hidden"),     size("inner"),
           size("heads"), size("kv_heads"), size("head_width"), p.op == "layer-prefill"},
        T_(l_.tokens()),
        slots_(static_cast<int>(pages_of(l_.length))) {}

  bool allocate(Refusal& refusal, std::string& why) {
    sizes_[0] = l_.qkv_width() * l_.hidden;
    sizes_[1] = l_.hidden * l_.query_width();
    sizes_[2] = 2 * l_.inner * l_.hidden;
    sizes_[3] = l_.hidden * l_.inner;
    cache_ = l_.prompt ? 0 : l_.batch * slots_ * l_.kv_heads * kPage * l_.head_width;
    one_ = sizes_[0] + sizes_[1] + sizes_[2] + sizes_[3] + 2 * cache_;
    const std::int64_t scratch =
        T_ * (4 * l_.hidden + l_.qkv_width() + l_.query_width() + 3 * l_.inner);
    if (plan_copies(2. * static_cast<double>(one_), 2. * static_cast<double>(scratch) + 512e6,
                    refusal, why) == 0)
      return false;
    data_ = elements(one_ * static_cast<std::int64_t>(copies_));
    x_ = elements(T_ * l_.hidden);
    residual_ = elements(T_ * l_.hidden);
    normed_ = elements(T_ * l_.hidden);
    out_ = elements(T_ * l_.hidden);
    qkv_ = elements(T_ * l_.qkv_width());
    attended_ = elements(T_ * l_.query_width());
    both_ = elements(T_ * 2 * l_.inner);
    gated_ = elements(T_ * l_.inner);
    if (!l_.prompt) prepare_cache();
    for (std::size_t i = 0; i < copies_; ++i) fill_copy(i);
    reset();
    return make_products(refusal, why);
  }

  Check check() override {
    out_.poison();
    fill_copy(0);  // what earlier runs appended is replaced
    reset();
    launch_once();
    const std::vector<double> want = layer_outputs(
        l_, grid_of(Dtype::kBf16), l_.prompt ? std::min<std::int64_t>(2, l_.length) : 1);
    std::vector<std::int64_t> at;
    double scale = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      at.push_back(static_cast<std::int64_t>(i));
      scale = std::max(scale, std::abs(want[i]));
    }
    const std::vector<float> got = gather(out_.as<void>(), Dtype::kBf16, at, gpu_.stream);
    Check c = start_check("bf16", "bf16");
    // Seven roundings to bf16 lie between input and output: a fortieth of the largest output.
    c.sum_eps = 0.025;
    for (std::size_t i = 0; i < want.size(); ++i)
      compare(c, static_cast<double>(got[i]), want[i], scale);
    return c;
  }

 private:
  static Buffer elements(std::int64_t n) {
    return Buffer(static_cast<std::size_t>(n) * sizeof(bf16));
  }
  bf16* weights(std::size_t copy, int which) const {
    std::int64_t at = static_cast<std::int64_t>(copy) * one_;
    for (int i = 0; i < which; ++i) at += sizes_[i];
    return data_.as<bf16>() + at;
  }

  void prepare_cache() {
    const std::vector<int> pages = shuffled_pages(l_.batch * slots_);
    table_ = Buffer(pages.size() * sizeof(int));
    upload(table_.as<void>(), pages.data(), table_.bytes(), gpu_.stream);
    work_ = Buffer(sizeof(float) * static_cast<std::size_t>(decode_work(
                                       static_cast<int>(l_.batch), static_cast<int>(l_.length),
                                       static_cast<int>(l_.heads), static_cast<int>(l_.kv_heads),
                                       static_cast<int>(l_.head_width), gpu_.sms)));
  }

  void fill_copy(std::size_t copy) {
    const std::int64_t depths[] = {l_.hidden, l_.query_width(), l_.hidden, l_.inner};
    const LayerTensor tensors[] = {kQkv, kOutput, kGateUp, kDown};
    for (int i = 0; i < 4; ++i)
      fill_layer(weights(copy, i), Dtype::kBf16, tensors[i], sizes_[i] / depths[i], depths[i],
                 gpu_.stream);
    if (!l_.prompt)
      cache_kernel<<<1024, 256, 0, gpu_.stream>>>(weights(copy, 4), weights(copy, 4) + cache_,
                                                  table_.as<int>(), l_, slots_,
                                                  grid_of(Dtype::kBf16));
  }

  void reset() {
    input_kernel<<<256, 256, 0, gpu_.stream>>>(x_.as<bf16>(), residual_.as<bf16>(), T_ * l_.hidden,
                                               grid_of(Dtype::kBf16));
    must(cudaStreamSynchronize(gpu_.stream), "fill");
  }

  bool make_products(Refusal& refusal, std::string& why) {
    const std::int64_t widths[] = {l_.qkv_width(), l_.hidden, 2 * l_.inner, l_.hidden};
    const std::int64_t depths[] = {l_.hidden, l_.query_width(), l_.hidden, l_.inner};
    const Buffer* from[] = {&normed_, &attended_, &normed_, &gated_};
    const Buffer* to[] = {&qkv_, &out_, &both_, &out_};
    for (int i = 0; i < 4; ++i) {
      std::string none;
      products_.emplace_back(gpu_, Dtype::kBf16, Dtype::kBf16, T_, widths[i], depths[i], none);
      if (!none.empty()) return refuse(refusal, why, none) != nullptr;
      std::vector<const void*> all;
      for (std::size_t copy = 0; copy < copies_; ++copy) all.push_back(weights(copy, i));
      products_.back().tune(from[i]->as<void>(), all, to[i]->as<void>());
    }
    note_ = "products by cuBLASLt " + LtProduct::version() + ", norms, activation, attention own";
    return true;
  }

  void attention(std::size_t copy, cudaStream_t s) const {
    const int batch = static_cast<int>(l_.batch), length = static_cast<int>(l_.length),
              heads = static_cast<int>(l_.heads), kv = static_cast<int>(l_.kv_heads),
              d = static_cast<int>(l_.head_width);
    const auto* q = qkv_.as<bf16>();
    if (l_.prompt) {
      const bf16* keys = q + l_.query_width();
      prompt_attention(q, keys, keys + l_.kv_heads * d, attended_.as<bf16>(), batch, length, heads,
                       kv, d, l_.qkv_width(), l_.qkv_width(), l_.query_width(), s);
      return;
    }
    bf16 *keys = weights(copy, 4), *values = keys + cache_;
    append_kernel<<<static_cast<unsigned>(batch), 256, 0, s>>>(q, keys, values, table_.as<int>(),
                                                               l_, slots_);
    decode_attention(q, keys, values, table_.as<int>(), attended_.as<bf16>(), work_.as<float>(),
                     batch, length, heads, kv, d, l_.qkv_width(), gpu_.sms, s);
  }

  void launch(std::size_t copy, cudaStream_t s) override {
    const int hidden = static_cast<int>(l_.hidden), inner = static_cast<int>(l_.inner);
    add_norm(x_.as<bf16>(), residual_.as<bf16>(), normed_.as<bf16>(), T_, hidden, s);
    products_[0].run(normed_.as<void>(), weights(copy, 0), qkv_.as<void>(), s);
    attention(copy, s);
    products_[1].run(attended_.as<void>(), weights(copy, 1), out_.as<void>(), s);
    add_norm(out_.as<bf16>(), residual_.as<bf16>(), normed_.as<bf16>(), T_, hidden, s);
    products_[2].run(normed_.as<void>(), weights(copy, 2), both_.as<void>(), s);
    swiglu(both_.as<bf16>(), gated_.as<bf16>(), T_, inner, s);
    products_[3].run(gated_.as<void>(), weights(copy, 3), out_.as<void>(), s);
  }

  LayerSizes l_;
  std::int64_t T_;
  int slots_;
  std::int64_t sizes_[4] = {}, cache_ = 0, one_ = 0;
  Buffer data_, x_, residual_, normed_, qkv_, attended_, both_, gated_, out_, table_, work_;
  std::vector<LtProduct> products_;
};

}  // namespace

Prepared prepare_layer(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  const std::int64_t d = p.size("head_width"), heads = p.size("heads"), kv = p.size("kv_heads");
  if (p.dtype != "bf16") return refuse(refusal, why, "the layer is in bf16");
  if (gpu.sm < 80) return refuse(refusal, why, "bf16 tensor cores need sm_80 or newer");
  if ((d != 64 && d != 128) || heads % kv != 0 || heads / kv > 16 || p.size("hidden") % 8 != 0 ||
      p.size("inner") % 8 != 0)
    return refuse(
        refusal, why,
        "head_width of 64 or 128, one to 16 heads for each kv head, widths multiples of 8");
  auto c = std::make_unique<LayerCase>(gpu, p);
  if (!c->allocate(refusal, why)) return nullptr;
  return c;
}

}  // namespace reckon::bench::cuda
