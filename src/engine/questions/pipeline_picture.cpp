#include "pipeline_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace reckon {
namespace {

using PipelineOp = schedule::Op;
using schedule::Pass;
using schedule::Slot;

constexpr int kColumns = 72;  // of time
constexpr int kMostRanks = 16;

double shortest_pass(const PlayedPipeline& p) {
  double shortest = p.run.time;
  for (const auto& slots : p.run.slots)
    for (const Slot& s : slots)
      if (s.end > s.start) shortest = std::min(shortest, s.end - s.start);
  return shortest;
}

// Columns of a unit of time: as many whole ones for the shortest pass as fit, where all passes are
// multiples of it; else so that the whole step fits.
double columns_of_unit(const PlayedPipeline& p) {
  const double fits = kColumns / p.run.time, shortest = shortest_pass(p);
  const auto multiple = [&](double x) {
    return std::abs(x / shortest - std::round(x / shortest)) < 1e-6;
  };
  for (const auto& slots : p.run.slots)
    for (const Slot& s : slots)
      if (!multiple(s.start) || !multiple(s.end)) return fits;
  const double whole = std::floor(fits * shortest + 1e-9);
  return whole >= 1 ? whole / shortest : fits;
}

char letter(const PlayedPipeline& p, const PipelineOp& op) {
  const bool split = splits_backward(p.layout.kind);
  const std::array letters{'F', 'B', 'W', split ? 'G' : 'B', 'P'};
  const char capital = letters[static_cast<std::size_t>(op.pass)];
  return op.chunk % 2 == 0 ? capital : static_cast<char>(capital - 'A' + 'a');
}

// Where the shortest pass leaves room for a digit.
bool numbered(const PlayedPipeline& p, double scale) {
  return shortest_pass(p) * scale >= 2 - 1e-9;
}

// What takes most of each column.
std::string line_of(const PlayedPipeline& p, int rank, double scale) {
  const auto& ops = p.order[static_cast<std::size_t>(rank)];
  const auto& slots = p.run.slots[static_cast<std::size_t>(rank)];
  const auto width = static_cast<std::size_t>(std::lround(std::ceil(p.run.time * scale - 1e-6)));
  std::string line(width, ' ');
  std::vector<std::map<char, double>> taken(width);
  for (std::size_t k = 0; k < ops.size(); ++k) {
    const double from = slots[k].start * scale, to = slots[k].end * scale;
    for (auto c = static_cast<std::size_t>(from + 1e-9);
         c < width && static_cast<double>(c) < to - 1e-9; ++c) {
      const double column = static_cast<double>(c);
      taken[c][letter(p, ops[k])] += std::min(to, column + 1) - std::max(from, column);
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    double all = 0, largest = 0;
    for (const auto& [sign, share] : taken[c]) {
      all += share;
      if (share > largest + 1e-9) {
        largest = share;
        line[c] = sign;
      }
    }
    if (all < 0.5) line[c] = ' ';
  }
  if (!numbered(p, scale)) return line;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    const auto from = static_cast<std::size_t>(std::lround(slots[k].start * scale));
    const auto to = static_cast<std::size_t>(std::lround(slots[k].end * scale));
    const std::string n = std::to_string(ops[k].micro_batch);
    if (to > width || to < from + 1 + n.size()) continue;
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(from) + 1,
              line.begin() + static_cast<std::ptrdiff_t>(to), '-');
    line.replace(from + 1, n.size(), n);
  }
  return line;
}

std::string legend(const PlayedPipeline& p, double scale) {
  std::string out = splits_backward(p.layout.kind)
                        ? "F forward, B gradient of the inputs, W of the weights"
                        : "F forward, B backward";
  if (pairs_passes(p.layout.kind)) out += ", G both gradients, P a forward pass joined with G";
  if (p.layout.held() > 1)
    out += placement_of(p.layout.kind) == Placement::kTwoWay
               ? "; small letters: the way up"
               : "; small letters: every second chunk";
  return out + (numbered(p, scale) ? "; behind it the micro-batch" : "");
}

std::string_view word(Pass pass) {
  constexpr std::array<std::string_view, 5> words{"forward", "backward_input", "backward_weight",
                                                  "backward", "forward_and_backward"};
  return words[static_cast<std::size_t>(pass)];
}

}  // namespace

Picture pipeline_picture(const PlayedPipeline& p) {
  Picture out{"Who runs what", {}};
  const double scale = columns_of_unit(p);
  const int ranks = p.layout.ranks;
  const auto digits = std::to_string(ranks - 1).size();
  for (int rank = 0; rank < ranks; ++rank) {
    if (ranks > kMostRanks && rank >= kMostRanks / 2 && rank < ranks - kMostRanks / 2) {
      if (rank == kMostRanks / 2)
        out.lines.push_back(fmt::format("… {} more …", ranks - kMostRanks));
      continue;
    }
    std::string line = line_of(p, rank, scale);
    line.erase(line.find_last_not_of(' ') + 1);
    std::string shown = fmt::format("stage {:>{}} |", rank, digits);
    for (const char c : line) shown += c == ' ' ? "·" : std::string(1, c);
    out.lines.push_back(std::move(shown));
  }
  out.lines.push_back(legend(p, scale));
  return out;
}

std::vector<TimelinePass> pipeline_timeline(const PlayedPipeline& p) {
  std::vector<TimelinePass> out;
  std::size_t passes = 0;
  for (const auto& ops : p.order) passes += ops.size();
  if (passes > kMostListedPasses) return out;
  out.reserve(passes);
  for (std::size_t rank = 0; rank < p.order.size(); ++rank) {
    for (std::size_t k = 0; k < p.order[rank].size(); ++k) {
      const PipelineOp& op = p.order[rank][k];
      const Slot& s = p.run.slots[rank][k];
      out.push_back({static_cast<int>(rank), std::string(word(op.pass)), op.chunk, op.micro_batch,
                     s.start, s.end});
    }
  }
  return out;
}

}  // namespace reckon
