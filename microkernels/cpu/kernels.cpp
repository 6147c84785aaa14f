#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reckon::bench::cpu {
namespace {

// As wide as the machine's registers, so that a tile of 6 rows fits into them.
#if defined(__AVX512F__)
constexpr int kBytes = 64, kAcross = 4;
#elif defined(__AVX__)
constexpr int kBytes = 32, kAcross = 2;
#else  // SSE, NEON
constexpr int kBytes = 16, kAcross = 2;
#endif
typedef float Vec __attribute__((vector_size(kBytes)));
constexpr std::int64_t kLanes = kBytes / 4;
constexpr std::int64_t kPanel = kAcross * kLanes;
constexpr int kRows = 6;
constexpr std::int64_t kAhead =
    24;  // steps of the depth that weights are fetched before they are needed
constexpr std::int64_t kDepth = 384;  // of a block: the panel's part stays in the second cache

inline Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vec v) { std::memcpy(p, &v, sizeof v); }

inline float sum_of(Vec v) {
  float out = 0;
  for (int i = 0; i < kLanes; ++i) out += v[i];
  return out;
}

// R rows of C against one panel, over `depth` of k.
template <int R>
void tile(const float* a, std::int64_t a_stride, const float* b, float* c, std::int64_t c_stride,
          std::int64_t depth, bool first) {
  Vec sum[R][kAcross];
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < kAcross; ++j)
      sum[r][j] = first ? Vec{} : load(c + r * c_stride + j * kLanes);
  for (std::int64_t p = 0; p < depth; ++p) {
    Vec x[kAcross];
    for (int j = 0; j < kAcross; ++j) {
      __builtin_prefetch(b + (p + kAhead) * kPanel + j * kLanes);
      x[j] = load(b + p * kPanel + j * kLanes);
    }
    for (int r = 0; r < R; ++r) {
      const Vec y = Vec{} + a[r * a_stride + p];
      for (int j = 0; j < kAcross; ++j) sum[r][j] += y * x[j];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < kAcross; ++j) store(c + r * c_stride + j * kLanes, sum[r][j]);
}

using Tile = void (*)(const float*, std::int64_t, const float*, float*, std::int64_t, std::int64_t,
                      bool);
constexpr Tile kTiles[kRows] = {tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};

// Queries that share what they read of keys and values.
constexpr int kQueries = 4;

template <int N>
void scores_of(const float* const* q, const float* keys, std::int64_t stride, float* scores,
               std::int64_t length, std::int64_t positions, std::int64_t d) {
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  for (std::int64_t t = 0; t < positions; ++t) {
    Vec sum[N] = {};
    for (std::int64_t j = 0; j < d; j += kLanes) {
      const Vec k = load(keys + t * stride + j);
      for (int i = 0; i < N; ++i) sum[i] += load(q[i] + j) * k;
    }
    for (int i = 0; i < N; ++i) scores[i * length + t] = scale * sum_of(sum[i]);
  }
}

// exp(s - max)/Σ in place.
void soften(float* s, std::int64_t n) {
  float largest = s[0], sum = 0;
  for (std::int64_t t = 1; t < n; ++t) largest = std::max(largest, s[t]);
  for (std::int64_t t = 0; t < n; ++t) sum += s[t] = std::exp(s[t] - largest);
  for (std::int64_t t = 0; t < n; ++t) s[t] /= sum;
}

template <int N>
void gather(const float* scores, std::int64_t length, const float* values, std::int64_t stride,
            float* const* out, std::int64_t positions, std::int64_t d) {
  for (std::int64_t j = 0; j < d; j += kLanes) {
    Vec sum[N] = {};
    for (std::int64_t t = 0; t < positions; ++t) {
      const Vec v = load(values + t * stride + j);
      for (int i = 0; i < N; ++i) sum[i] += scores[i * length + t] * v;
    }
    for (int i = 0; i < N; ++i) store(out[i] + j, sum[i]);
  }
}

// N neighbouring queries over the same positions; `seen(i)` of them count for query i.
template <int N, class Seen>
void attend(const float* const* q, const float* keys, const float* values, float* const* out,
            float* scores, std::int64_t length, std::int64_t positions, std::int64_t d,
            std::int64_t stride, const Seen& seen) {
  scores_of<N>(q, keys, stride, scores, length, positions, d);
  for (int i = 0; i < N; ++i) {
    float* s = scores + i * length;
    soften(s, seen(i));
    std::fill(s + seen(i), s + positions, 0.F);
  }
  gather<N>(scores, length, values, stride, out, positions, d);
}

}  // namespace

std::int64_t panel_width() { return kPanel; }

std::int64_t packed_index(std::int64_t n, std::int64_t k, std::int64_t depth) {
  return (n / kPanel * depth + k) * kPanel + n % kPanel;
}

void multiply(const float* a, const float* packed, float* c, std::int64_t m, std::int64_t n,
              std::int64_t k, std::int64_t from, std::int64_t to) {
  for (std::int64_t panel = from; panel < to; ++panel) {
    for (std::int64_t p = 0; p < k; p += kDepth) {
      const std::int64_t depth = std::min(kDepth, k - p);
      const float* b = packed + (panel * k + p) * kPanel;
      for (std::int64_t i = 0; i < m; i += kRows)
        kTiles[std::min<std::int64_t>(kRows, m - i) - 1](
            a + i * k + p, k, b, c + i * n + panel * kPanel, n, depth, p == 0);
    }
  }
}

void attend_one(const float* q, const float* keys, const float* values, float* out, float* scores,
                std::int64_t group, std::int64_t length, std::int64_t d) {
  const auto all = [length](int) { return length; };
  for (std::int64_t i = 0; i < group;) {
    const float* from[kQueries];
    float* to[kQueries];
    const bool four = group - i >= kQueries;
    for (int j = 0; j < (four ? kQueries : 1); ++j) {
      from[j] = q + (i + j) * d;
      to[j] = out + (i + j) * d;
    }
    if (four)
      attend<kQueries>(from, keys, values, to, scores, length, length, d, d, all);
    else
      attend<1>(from, keys, values, to, scores, length, length, d, d, all);
    i += four ? kQueries : 1;
  }
}

void attend_prompt(const float* q, const float* keys, const float* values, float* out,
                   float* scores, std::int64_t from, std::int64_t to, std::int64_t length,
                   std::int64_t d, std::int64_t q_stride, std::int64_t kv_stride,
                   std::int64_t out_stride) {
  for (std::int64_t i = from; i < to; i += kQueries) {
    const float* rows[kQueries];
    float* results[kQueries];
    for (int j = 0; j < kQueries; ++j) {
      rows[j] = q + (i + j) * q_stride;
      results[j] = out + (i + j) * out_stride;
    }
    attend<kQueries>(rows, keys, values, results, scores, length, i + kQueries, d, kv_stride,
                     [i](int j) { return i + j + 1; });
  }
}

void add_norm(const float* x, float* residual, float* y, std::int64_t rows, std::int64_t width) {
  constexpr float kEps = 1e-5F;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * width;
    float* h = residual + r * width;
    float* to = y + r * width;
    float squares = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      h[j] += from[j];
      squares += h[j] * h[j];
    }
    const float scale = 1 / std::sqrt(squares / static_cast<float>(width) + kEps);
    for (std::int64_t j = 0; j < width; ++j) to[j] = h[j] * scale;
  }
}

void swiglu(const float* both, float* out, std::int64_t rows, std::int64_t width) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* g = both + 2 * r * width;
    const float* u = g + width;
    float* to = out + r * width;
    for (std::int64_t j = 0; j < width; ++j) to[j] = g[j] / (1 + std::exp(-g[j])) * u[j];
  }
}

float read_all(const float* a, std::int64_t n) {
  Vec sum[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes)
    for (int j = 0; j < 4; ++j) sum[j] += load(a + i + j * kLanes);
  float out = sum_of(sum[0] + sum[1] + sum[2] + sum[3]);
  for (; i < n; ++i) out += a[i];
  return out;
}

void write_all(float* a, float x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] = x;
}

void copy_all(const float* a, float* b, std::int64_t n) {
  std::memcpy(b, a, static_cast<std::size_t>(n) * sizeof(float));
}

void triad_all(const float* a, const float* b, float* c, float x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + x * b[i];
}

namespace {
constexpr int kChains = 12;  // in flight: two units, four clocks, and a rest
}

std::int64_t fma_per_step() { return kChains * kLanes; }

float fma_only(std::int64_t steps, float x) {
  Vec sum[kChains];
  for (int j = 0; j < kChains; ++j) sum[j] = Vec{} + static_cast<float>(j);
  Vec y = Vec{} + x, z = Vec{} + 0.5F;
  for (std::int64_t i = 0; i < steps; ++i) {
    for (int j = 0; j < kChains; ++j) sum[j] = sum[j] * y + z;
  }
  Vec all{};
  for (const Vec& v : sum) all += v;
  return sum_of(all);
}

}  // namespace reckon::bench::cpu
