// A curve for a terminal: lines of text, the smallest value marked.
//
//   2.47 ┤*                                   *
//        ┤   *                          *
//   2.33 ┤            *  o  *
//        └┬──────────────┬─────────────────┬
//         57M            911M              14.6B
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reckon/engine/result.hpp"

namespace reckon {

struct Curve {
  std::vector<std::pair<double, double>> points;  // x ascending, drawn on a log scale
  double marked_x = 0;                            // where the optimum lies
  std::function<std::string(double)> show_x, show_y;
};

Picture plot(std::string title, const Curve& curve);

}  // namespace reckon
