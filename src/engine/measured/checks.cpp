// What all formats of measured files are held to: figures to their digits, devices to the chip's name, columns to one
// meaning each.
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "reckon/base/text.hpp"
#include "tables.hpp"

namespace reckon {

double bus_factor(MeasuredKernel kernel, double ranks) {
  return (kernel == MeasuredKernel::kAllReduce ? 2 : 1) * (ranks - 1) / ranks;
}

double half_of_last_digit(const std::string& text) {
  const std::size_t point = text.find('.'), power = text.find_first_of("eE");
  const std::size_t end = power == std::string::npos ? text.size() : power;
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(end - point) - 1;
  const double scale = power == std::string::npos ? 0 : std::atof(text.c_str() + power + 1);
  return 0.5 * std::pow(10, scale - decimals);
}

bool is_own_file(const std::string& chip) { return chip.find_first_of("/.") != std::string::npos; }

void check_device(const std::string& device, const std::string& chip, Span at, Diagnostics& d) {
  if (device.empty() || chip.empty() || chip == kChipToWrite || is_own_file(chip)) return;
  std::string model = chip.substr(0, chip.find('-')), name = device;
  const auto upper = [](std::string& text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  };
  upper(model);
  upper(name);
  if (name.find(model) != std::string::npos) return;
  d.warning(at,
            fmt::format("{} was measured, and the chip is said to be {}", printable(device), chip))
      .help("constants of one chip under another's name mislead whoever uses them");
}

bool no_column_twice(const std::vector<TableColumn>& columns, const std::vector<TableCell>& said,
                     Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (columns[i].column != columns[k].column) continue;
      diagnostics
          .error(said[i].span,
                 fmt::format("column '{}' stands twice", column_info(columns[i].column).name))
          .note(said[k].span, "it stands here first")
          .help("which of the two is meant? Leave the other out, or name it --column ours=theirs");
      return false;
    }
  return true;
}

}  // namespace reckon
