// Tables beside a scaling answer: the isoFLOP curve, the bootstrapped intervals.
#pragma once

#include "law.hpp"
#include "reckon/cost/questions/scaling.hpp"

namespace reckon {

// Other sizes at the same compute: metrics isoflop.*, a grid and a plot.
void add_isoflop(const ScalingQuestion<double>& q, const ScalingAnswer<double>& out, Result& r);

// Where the law's file carries bootstrapped constants: metrics *.low and *.high. Says so in a line.
void add_intervals(const ScalingQuestion<double>& q, const ScalingAnswer<double>& out, Result& r);

}  // namespace reckon
