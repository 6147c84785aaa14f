// The parts of kind: quantize: how a tensor is to be quantized, what is said of it, and the studies around it.
#pragma once

#include "numbers.hpp"

namespace reckon {

using QuantizeAsked = QuantizeQuestion<double>;

// One way to share scales, under its word: "tensor", "block".
struct SharedScales {
  std::string word, title;
  Grouping grouping;
};

struct QuantizeSetup {
  NumberFormatInUse format;
  Scheme scheme;
  std::vector<SharedScales> ways;
  double scale_bits = 0, tensor_bits = 0;  // of a group's scale and zero point; of the tensor
  double original_bits = 32;
};

// Nothing after a fault.
std::optional<QuantizeSetup> set_up(const QuantizeAsked& q, const NumbersAsked& asked);

// The tensor quantized; a fault where values are not finite or scales don't fit their format.
std::optional<TensorReport> quantized(Source& source, const Scheme& scheme,
                                      const Grouping& grouping, const NumbersAsked& asked);

// Metrics of one way under a prefix such as "after.block."
void report_metrics(const QuantizeSetup& setup, const SharedScales& way, const TensorReport& report,
                    const QuantizeAsked& q, const std::string& prefix, const Figures& out);

// Values with their codes, side by side for each way.
struct Column {
  std::string title;
  const TensorReport* report;
};
Picture value_picture(const std::string& title, const HeldMatrix& values,
                      const std::vector<Column>& columns, const Element& element);
Picture histogram_picture(const std::string& title, const ErrorHistogram& histogram);

// x · W with quantized x and W, plain and with scales moved into the weights.
void matmul_study(const QuantizeAsked& q, HeldMatrix& x, const QuantizeSetup& setup,
                  const NumbersAsked& asked, Result& r);
// Values as the maxima of successive steps: how long a scale from earlier ones overflows.
void delayed_study(const QuantizeAsked& q, const HeldMatrix& maxima, const QuantizeSetup& setup,
                   const NumbersAsked& asked, Result& r);

}  // namespace reckon
