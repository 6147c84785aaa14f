// Parts of a whole as a table whose bars begin where the bar above ends:
//
//   weights      2.008 GB   2.5 %  █
//   optimizer    12.05 GB  15.1 %   █████
//   total        14.06 GB  17.6 %  ██████░░░░░░░░░░░░░░░░░░░
//
// What lies beyond the limit is ▓.
#pragma once

#include <string>
#include <vector>

#include "reader.hpp"

namespace reckon {

class Breakdown {
 public:
  // `limit`: what shares refer to, and where a bar turns into ▓.
  Breakdown(const Canvas& canvas, double limit) : canvas_(canvas), limit_(limit) {}

  void part(std::string label, std::string value, double size);
  void total(std::string label, std::string value, double size);  // of all parts, against the limit
  void line(std::string label, std::string value, std::string share = "", std::string word = "");

  Table table() const;

  // "27.4 %", "<0.1 %"; "" without a whole.
  static std::string share(double part, double whole);

 private:
  struct Row {
    std::string label, value, share, word;
    double from = 0, to = 0;
    bool has_bar = false, is_total = false;
  };
  std::size_t bar_cells() const;
  std::string bar(const Row& row, std::size_t cells) const;

  const Canvas& canvas_;
  double limit_, end_ = 0;
  std::vector<Row> rows_;
};

}  // namespace reckon
