#include "scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reckon {
namespace {

std::string marked(int n) {
  if (n == 0) return "";
  if (n == 1) return "·";
  return n > 9 ? "+" : std::string(1, static_cast<char>('0' + n));
}

// Decades that begin inside [low, high].
std::vector<int> decades(double low, double high) {
  std::vector<int> out;
  for (int k = static_cast<int>(std::ceil(low)); k <= std::floor(high); ++k) out.push_back(k);
  return out;
}

}  // namespace

std::vector<std::string> scatter(const std::vector<ScatterPoint>& points, const ScatterAxes& axes,
                                 std::string (*label_x)(double)) {
  if (points.empty()) return {};
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const ScatterPoint& p : points) {
    low = std::min(low, std::log10(p.x));
    high = std::max(high, std::log10(p.x));
  }
  low -= 0.02, high += 0.02;
  const double lines_per_step = 2;
  const int rows =
      static_cast<int>(std::lround((axes.high - axes.low) / axes.step * lines_per_step)) + 1;
  const auto column = [&](double log_x) {
    return std::clamp(static_cast<int>((log_x - low) / (high - low) * axes.columns), 0,
                      axes.columns - 1);
  };
  std::vector<std::vector<int>> cells(static_cast<std::size_t>(rows),
                                      std::vector<int>(static_cast<std::size_t>(axes.columns)));
  for (const ScatterPoint& p : points) {
    const double place = (axes.high - p.y) / axes.step * lines_per_step;
    const auto r = static_cast<std::size_t>(
        std::clamp(static_cast<int>(std::lround(std::clamp(place, -1e6, 1e6))), 0, rows - 1));
    ++cells[r][static_cast<std::size_t>(column(std::log10(p.x)))];
  }
  std::vector<std::string> out;
  for (int r = 0; r < rows; ++r) {
    const double y = axes.high - r * axes.step / lines_per_step;
    const bool labelled = r % 2 == 0, zero = std::abs(y) < axes.step / 8;
    std::string line =
        labelled ? fmt::format("{:>+6.0f} % ", 100 * (zero ? 0 : y)) : std::string(9, ' ');
    line += labelled ? "┤" : "│";
    std::string body;
    for (const int n : cells[static_cast<std::size_t>(r)])
      body += n > 0 ? marked(n) : zero ? "─" : " ";
    body.erase(body.find_last_not_of(' ') + 1);
    out.push_back(line + body);
  }
  std::string axis(static_cast<std::size_t>(axes.columns) + 12, ' ');
  for (const int k : decades(low, high)) {
    const std::string label = label_x(std::pow(10, k));
    const auto at = static_cast<std::size_t>(column(k)) + 10;
    if (at + label.size() <= axis.size()) axis.replace(at, label.size(), label);
  }
  axis.erase(axis.find_last_not_of(' ') + 1);
  out.push_back(axis);
  return out;
}

}  // namespace reckon
