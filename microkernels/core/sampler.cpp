#include "sampler.hpp"

#include "statistics.hpp"

namespace reckon::bench {
namespace {

// Whether the noise of the last windows has settled.
bool settled(const std::vector<double>& noises, const StopRule& rule) {
  if (noises.size() < rule.stable_over) return false;
  const std::vector<double> last(noises.end() - static_cast<std::ptrdiff_t>(rule.stable_over),
                                 noises.end());
  return relative_deviation(last) < rule.stable;
}

}  // namespace

Sampled sample(const std::function<double()>& once, const StopRule& rule,
               const std::function<double()>& now) {
  const double start = now();
  double gone = 0;
  for (std::size_t i = 0; (i < rule.warm_up || gone < rule.warm_seconds) && gone <= rule.seconds;
       ++i) {
    once();
    gone = now() - start;
  }
  Sampled out;
  std::vector<double> noises;
  while (true) {
    out.seconds.push_back(once());
    const std::size_t n = out.seconds.size();
    const bool late = now() - start > rule.seconds;
    if (n >= rule.least) {
      const double noise = relative_deviation(out.seconds);
      if (noise < rule.noise) return out.stop = Stop::kSteady, out;
      if (n % rule.window == 0) {
        noises.push_back(noise);
        if (settled(noises, rule)) return out.stop = Stop::kStable, out;
      }
    }
    if (n >= rule.most) return out.stop = Stop::kSamples, out;
    if (late) return out.stop = Stop::kTime, out;
  }
}

}  // namespace reckon::bench
