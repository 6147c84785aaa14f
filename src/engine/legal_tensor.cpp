#include "legal_tensor.hpp"

#include <fmt/format.h>

#include <cmath>

namespace reckon {
namespace {

using Whole = std::optional<Count<double>>;

long number(const Whole& x) { return x ? std::lround(value_of(x->raw)) : 0; }

class DegreeCheck {
 public:
  DegreeCheck(const TensorDegree& degree, const Places& places, Diagnostics& out)
      : degree_(degree), places_(places), out_(out) {}

  void group(const LayerGroup<double>& g, const std::string& at) {
    if (g.mixer.heads) divides(g.mixer.heads, at + ".mixer.heads", "heads");
    if (g.mixer.inner) divides(g.mixer.inner, at + ".mixer.inner", "the mixer's inner width");
    const long kv = number(g.mixer.kv_heads);
    if (kv > 0 && kv % degree_.t != 0 && degree_.t % kv != 0)
      fault(fmt::format("{} = {} neither divides kv_heads = {} nor is a multiple of it",
                        degree_.word, degree_.t, kv))
          .note(places_.of(at + ".mixer.kv_heads"), "kv_heads is stated here")
          .help("nearest degrees that work: " + degree_.nearest(kv));
    if (g.mlp.width) divides(g.mlp.width, at + ".mlp.width", "the MLP's width");
  }

 private:
  Diagnostic& fault(std::string message) {
    return out_.error(places_.of(degree_.path), std::move(message));
  }
  void divides(const Whole& field, const std::string& path, const char* what) {
    const long n = number(field);
    if (n % degree_.t == 0) return;
    fault(fmt::format("{} = {} does not divide {} = {}", degree_.word, degree_.t, what, n))
        .note(places_.of(path), fmt::format("{} is stated here", what))
        .help("nearest degrees that work: " + degree_.nearest(n));
  }

  const TensorDegree& degree_;
  const Places& places_;
  Diagnostics& out_;
};

}  // namespace

void check_tensor_degree(const Model<double>& model, const TensorDegree& degree,
                         const Places& places, Diagnostics& diagnostics) {
  DegreeCheck check(degree, places, diagnostics);
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    check.group(model.layers[i], fmt::format("model.layers.{}", i));
}

bool divides_model(const Model<double>& model, long t) {
  const auto divides = [t](const Whole& x) { return !x || number(x) % t == 0; };
  for (const LayerGroup<double>& g : model.layers) {
    const long kv = number(g.mixer.kv_heads);
    if (!divides(g.mixer.heads) || !divides(g.mixer.inner) || !divides(g.mlp.width)) return false;
    if (kv > 0 && kv % t != 0 && t % kv != 0) return false;
    if (!divides(g.mixer.groups) || !divides(g.mixer.key_heads)) return false;
  }
  return true;
}

}  // namespace reckon
