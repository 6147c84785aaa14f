// Points as a picture of characters: x in logarithm, y as it is. A cell holds how many points fall into it: · for one,
// then digits, + from ten on.
#pragma once

#include <string>
#include <vector>

namespace reckon {

struct ScatterPoint {
  double x = 1, y = 0;
};

struct ScatterAxes {
  double low = -0.4, high = 0.4;  // of y; what lies beyond is drawn at the edge
  double step = 0.1;              // between labelled lines
  int columns = 60;
};

// Lines with the labels of y at their left and a line of labels of x at the bottom. x positive.
std::vector<std::string> scatter(const std::vector<ScatterPoint>& points, const ScatterAxes& axes,
                                 std::string (*label_x)(double));

}  // namespace reckon
