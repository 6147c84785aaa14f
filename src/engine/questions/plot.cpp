#include "plot.hpp"

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::size_t kWidth = 61, kHeight = 12;

// Where a value of a range falls on so many places.
std::size_t place(double x, double low, double high, std::size_t places) {
  if (!(high > low)) return 0;
  const double share = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(places - 1)));
}

}  // namespace

Picture plot(std::string title, const Curve& curve) {
  Picture out{std::move(title), {}};
  if (curve.points.empty()) return out;
  const double left = std::log(curve.points.front().first),
               right = std::log(curve.points.back().first);
  double low = curve.points.front().second, high = low;
  for (const auto& [x, y] : curve.points) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  std::vector<std::string> cells(kHeight, std::string(kWidth, ' '));
  for (const auto& [x, y] : curve.points)
    cells[kHeight - 1 - place(y, low, high, kHeight)][place(std::log(x), left, right, kWidth)] =
        '*';
  const std::size_t mark = place(std::log(curve.marked_x), left, right, kWidth);
  for (std::string& row : cells)
    if (row[mark] == '*') row[mark] = 'o';
  const std::string top = curve.show_y(high), bottom = curve.show_y(low);
  const std::size_t margin = std::max(top.size(), bottom.size());
  for (std::size_t i = 0; i < kHeight; ++i) {
    std::string row = cells[i];
    row.erase(row.find_last_not_of(' ') + 1);
    out.lines.push_back(pad_left(i == 0             ? top
                                 : i + 1 == kHeight ? bottom
                                                    : "",
                                 margin) +
                        " |" + row);
  }
  out.lines.push_back(std::string(margin, ' ') + " +" + std::string(kWidth, '-'));
  const std::string a = curve.show_x(curve.points.front().first), b = curve.show_x(curve.marked_x),
                    c = curve.show_x(curve.points.back().first);
  std::string labels = a;
  const auto put = [&](const std::string& s, std::size_t at) {
    if (at > labels.size()) labels += std::string(at - labels.size(), ' ') + s;
  };
  put(b, mark > b.size() / 2 ? mark - b.size() / 2 : 0);
  put(c, kWidth - std::min(kWidth, c.size() / 2));
  out.lines.push_back(std::string(margin + 2, ' ') + labels);
  return out;
}

}  // namespace reckon
