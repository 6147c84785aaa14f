#include "reference.hpp"

#include <algorithm>

namespace reckon::bench {
namespace {

using Vector = std::vector<double>;

Vector normed(const Vector& h) {
  double squares = 0;
  for (const double x : h) squares += x * x;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(h.size()) + kNormEps);
  Vector out;
  for (const double x : h) out.push_back(x * scale);
  return out;
}

Vector times(const Vector& a, LayerTensor t, std::int64_t n, int steps) {
  const auto k = static_cast<std::int64_t>(a.size());
  Vector out;
  for (std::int64_t i = 0; i < n; ++i)
    out.push_back(dot(
                      k, [&](std::int64_t j) { return a[static_cast<std::size_t>(j)]; },
                      [&](std::int64_t j) { return layer_weight(t, i, j, k, steps); })
                      .value);
  return out;
}

Vector after_residual(const LayerSizes& l, std::int64_t token, int steps) {
  Vector h;
  for (std::int64_t j = 0; j < l.hidden; ++j)
    h.push_back(static_cast<double>(layer_value(kInput, token * l.hidden + j, steps)) +
                static_cast<double>(layer_value(kResidual, token * l.hidden + j, steps)));
  return h;
}

// Attention of `token`, whose own and earlier projections are in `qkv`.
Vector attention_of(const LayerSizes& l, const std::vector<Vector>& qkv, std::size_t token,
                    int steps) {
  const std::int64_t d = l.head_width, group = l.heads / l.kv_heads;
  Vector out;
  for (std::int64_t head = 0; head < l.heads; ++head) {
    const std::int64_t kv = head / group;
    const auto of = [&](LayerTensor t, std::int64_t first) -> Cells {
      return [&l, &qkv, t, first, kv, d, token, steps](std::int64_t p, std::int64_t j) {
        const bool own = l.prompt || p == l.length - 1;
        const std::size_t row = l.prompt ? static_cast<std::size_t>(p) : token;
        if (own) return qkv[row][static_cast<std::size_t>((first + kv) * d + j)];
        return static_cast<double>(layer_value(t, cache_index(l, 0, kv, p, j), steps));
      };
    };
    const auto from = qkv[token].begin() + head * d;
    const std::int64_t positions = l.prompt ? static_cast<std::int64_t>(token) + 1 : l.length;
    const Vector one = attend(Vector(from, from + d), positions, of(kCacheKeys, l.heads),
                              of(kCacheValues, l.heads + l.kv_heads));
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

}  // namespace

Vector attend(const Vector& query, std::int64_t positions, const Cells& keys, const Cells& values) {
  const auto d = static_cast<std::int64_t>(query.size());
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  Vector weights;
  double largest = -HUGE_VAL, sum = 0;
  for (std::int64_t t = 0; t < positions; ++t) {
    weights.push_back(scale *
                      dot(
                          d, [&](std::int64_t j) { return query[static_cast<std::size_t>(j)]; },
                          [&](std::int64_t j) { return keys(t, j); })
                          .value);
    largest = std::max(largest, weights.back());
  }
  for (double& w : weights) sum += w = std::exp(w - largest);
  Vector out(query.size(), 0);
  for (std::int64_t t = 0; t < positions; ++t)
    for (std::int64_t j = 0; j < d; ++j)
      out[static_cast<std::size_t>(j)] += weights[static_cast<std::size_t>(t)] / sum * values(t, j);
  return out;
}

Vector layer_outputs(const LayerSizes& l, int steps, std::int64_t tokens) {
  std::vector<Vector> residual, qkv;
  for (std::int64_t t = 0; t < tokens; ++t) {
    residual.push_back(after_residual(l, t, steps));
    qkv.push_back(times(normed(residual.back()), kQkv, l.qkv_width(), steps));
  }
  Vector out;
  for (std::size_t t = 0; t < residual.size(); ++t) {
    Vector h = times(attention_of(l, qkv, t, steps), kOutput, l.hidden, steps);
    for (std::size_t j = 0; j < h.size(); ++j) h[j] += residual[t][j];
    const Vector both = times(normed(h), kGateUp, 2 * l.inner, steps);
    const auto inner = static_cast<std::size_t>(l.inner);
    Vector gated(inner);
    for (std::size_t j = 0; j < inner; ++j)
      gated[j] = both[j] / (1 + std::exp(-both[j])) * both[inner + j];
    const Vector one = times(gated, kDown, l.hidden, steps);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

std::vector<std::int64_t> sampled(std::int64_t outputs, std::int64_t most) {
  std::vector<std::int64_t> out;
  if (outputs <= most) {
    for (std::int64_t i = 0; i < outputs; ++i) out.push_back(i);
    return out;
  }
  // An odd stride far from powers of two meets every row and column of a tile.
  const std::int64_t stride = (outputs / most) | 1;
  for (std::int64_t i = 0; i < outputs; i += stride) out.push_back(i);
  if (out.back() != outputs - 1) out.push_back(outputs - 1);
  return out;
}

}  // namespace reckon::bench
