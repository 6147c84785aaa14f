#include "tensor_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "reckon/base/table.hpp"
#include "reckon/cost/shards.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

struct Row {
  std::string name;
  Split split;
  bool mixer;
  std::string whole = {}, mine = {};
};

const char* word(Split split) {
  return split == Split::kColumns ? "columns" : split == Split::kRows ? "rows" : "whole";
}

std::string shape(Count<double> in, Count<double> out) {
  return grouped(value_of(in.raw)) + " × " + grouped(value_of(out.raw));
}

std::string named(const Matrix<double>& m) {
  if (m.part == Part::kExpert) return std::string("expert ") + m.name;
  return m.part == Part::kShared ? std::string("shared ") + m.name : m.name;
}

std::vector<Row> rows_of(const Model<double>& model, const LayerGroup<double>& g, Count<double> t) {
  std::vector<Row> rows;
  for_each_matrix(model, g, [&](const Matrix<double>& m) {
    const auto in = m.split == Split::kRows ? m.in / t : m.in;
    const auto out = m.split == Split::kColumns ? columns_on_rank(m, t) : m.out;
    rows.push_back(
        {named(m), m.split, m.part == Part::kAttention, shape(m.in, m.out), shape(in, out)});
  });
  return rows;
}

// What a gated dense layer looks like, if nothing more is known.
std::vector<Row> usual_rows() {
  return {{"q, k, v", Split::kColumns, true},
          {"o", Split::kRows, true},
          {"gate, up", Split::kColumns, false},
          {"down", Split::kRows, false}};
}

// The last row-split matrix of attention and of the MLP leaves partial sums; with sequence parallelism
// the first matrix of each takes tokens that are scattered.
std::vector<std::string> collectives(const std::vector<Row>& rows, bool sequence) {
  std::vector<std::string> out(rows.size());
  for (const bool mixer : {true, false}) {
    const auto mine = [&](const Row& r) { return r.mixer == mixer; };
    const auto first = std::find_if(rows.begin(), rows.end(), mine);
    if (first == rows.end()) continue;
    if (sequence) out[static_cast<std::size_t>(first - rows.begin())] = "all-gather before";
    const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const Row& r) {
      return mine(r) && r.split == Split::kRows;
    });
    if (last == rows.rend()) continue;
    out[static_cast<std::size_t>(rows.rend() - last) - 1] =
        sequence ? "reduce-scatter after" : "all-reduce after";
  }
  return out;
}

}  // namespace

Picture tensor_picture(const std::optional<Model<double>>& model, Count<double> ranks,
                       bool sequence) {
  const bool dimensions = model && !model->abstract() && !model->layers.empty();
  std::vector<Row> rows = usual_rows();
  std::string which = "Where a layer is split";
  if (dimensions) {
    const auto most = std::max_element(
        model->layers.begin(), model->layers.end(),
        [](const auto& a, const auto& b) { return value_of(a.count.raw) < value_of(b.count.raw); });
    rows = rows_of(*model, *most, ranks);
    if (model->layers.size() > 1)
      which = fmt::format("Where a layer is split ({} of its layers)",
                          grouped(value_of(most->count.raw)));
  }
  const std::vector<std::string> said = collectives(rows, sequence);
  std::vector<Table::Column> heads{{"matrix"}, {"split by"}};
  if (dimensions) {
    heads.push_back({"whole", Align::kRight});
    heads.push_back({fmt::format("one of {} ranks", grouped(value_of(ranks.raw))), Align::kRight});
  }
  heads.push_back({"communication, forward"});
  Table table(heads);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells{rows[i].name, word(rows[i].split)};
    if (dimensions) cells.insert(cells.end(), {rows[i].whole, rows[i].mine});
    cells.push_back(said[i]);
    table.row(std::move(cells));
  }
  Picture out{which, {}};
  std::istringstream lines(table.text());
  for (std::string line; std::getline(lines, line);) out.lines.push_back(line);
  return out;
}

}  // namespace reckon
