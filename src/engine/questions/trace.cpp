#include "trace.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr double kLargestTraced = 1e15;  // sums of a few stay exact to the unit

std::optional<double> number_in(const std::string& word) {
  double x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size() || !(std::abs(x) <= kLargestTraced))
    return {};
  return x;
}

void add(Result& r, std::string id, std::string title, double value, Hint hint) {
  Metric& m = r.metrics.emplace_back();
  m.id = std::move(id);
  m.title = std::move(title);
  m.value = value;
  m.hint = hint;
}

std::string shown(double x) { return fmt::format("{:.10g}", x); }

// One line a rank: its pieces in order, those that just came in brackets, and what it sent.
class Drawing {
 public:
  Drawing(const Play& play, const Store& start, Result& result) : result_(result) {
    std::set<int> pieces;
    const auto note = [&](const Store& store) {
      for (const auto& held : store) {
        for (const auto& [piece, numbers] : held) {
          pieces.insert(piece);
          for (const double x : numbers) width_ = std::max(width_, shown(x).size() + 2);
        }
      }
    };
    Store store = start;
    note(store);
    for (const Round& round : play.rounds) {
      play_round(round, store);
      note(store);
    }
    pieces_.assign(pieces.begin(), pieces.end());
    for (const int piece : pieces_) {
      std::size_t most = 0;
      for (const auto& held : store)
        if (held.contains(piece)) most = std::max(most, held.at(piece).size());
      for (const auto& held : start)
        if (held.contains(piece)) most = std::max(most, held.at(piece).size());
      sizes_.push_back(most);
    }
  }

  void draw(std::string title, const Store& store, const Round* round) const {
    Picture p{std::move(title), {}};
    for (std::size_t rank = 0; rank < store.size(); ++rank)
      p.lines.push_back(line(rank, store, round));
    result_.answer.pictures.push_back(std::move(p));
  }

 private:
  std::string line(std::size_t rank, const Store& store, const Round* round) const {
    std::set<int> came;
    std::vector<std::string> sent;
    for (const Message& m : round ? round->messages : std::vector<Message>{}) {
      if (m.to == static_cast<int>(rank)) came.insert(m.pieces.begin(), m.pieces.end());
      if (m.from == static_cast<int>(rank))
        sent.push_back(fmt::format("{} to rank {}", names(m.pieces), m.to));
    }
    std::string out = fmt::format("rank {} ", rank);
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      const auto held = store[rank].find(pieces_[k]);
      for (std::size_t i = 0; i < sizes_[k]; ++i) {
        const bool there = held != store[rank].end() && i < held->second.size();
        std::string cell = there ? shown(held->second[i]) : "·";
        cell = came.contains(pieces_[k]) && there ? "[" + cell + "]" : " " + cell + " ";
        out += pad_left(cell, width_ + 1);
      }
    }
    if (!sent.empty()) out += "   sent " + join(sent, ", ");
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }

  // Of an all-to-all: the piece for rank d.
  std::string names(const std::vector<int>& pieces) const {
    std::vector<std::string> out;
    for (const int piece : pieces) out.push_back(std::to_string(piece));
    return (pieces.size() == 1 ? "piece " : "pieces ") + join(out, "+");
  }

  Result& result_;
  std::vector<int> pieces_;
  std::vector<std::size_t> sizes_;
  std::size_t width_ = 3;
};

Play play_of(CollectiveOp op, bool direct, int q) {
  if (op == CollectiveOp::kSend) return {q, {{"send", {{0, 1, {0, 1}, Effect::kCopy}}}}};
  if (direct) return direct_play(op, q);
  return op == CollectiveOp::kAllToAll ? pairs_play(q) : ring_play(op, q);
}

std::size_t rounds_of(const Play& play, std::string_view phase) {
  return static_cast<std::size_t>(
      std::count_if(play.rounds.begin(), play.rounds.end(),
                    [&](const Round& round) { return round.phase == phase; }));
}

// A rank's own sums once they are complete: one metric, or one a number.
void owned_sums(const Store& store, Result& r) {
  for (std::size_t rank = 0; rank < store.size(); ++rank) {
    const Numbers& mine = store[rank].at(static_cast<int>(rank));
    for (std::size_t i = 0; i < mine.size(); ++i)
      add(r, fmt::format("trace.rank.{}{}", rank, mine.size() > 1 ? fmt::format(".{}", i) : ""),
          fmt::format("sum on rank {} after the reduce-scatter", rank), mine[i], Hint::kRatio);
  }
}

std::string id_of(std::string_view phase) {
  std::string id(phase);
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

}  // namespace

std::optional<std::vector<Numbers>> read_arrays(const std::string& data, const Asked& asked) {
  std::vector<Numbers> out;
  std::istringstream rows(data);
  for (std::string row; std::getline(rows, row, ';');) {
    Numbers& array = out.emplace_back();
    std::istringstream words(row);
    for (std::string word; words >> word;) {
      const auto x = number_in(word);
      if (!x) {
        asked.fault("array", fmt::format("array: '{}' is not a number up to 1e15", printable(word)))
            .help("numbers parted by spaces, ranks by semicolons: \"1 2 3 4; 5 6 7 8\"");
        return {};
      }
      array.push_back(*x);
    }
  }
  if (out.size() < 2 || out.size() > kMostTracedRanks) {
    asked
        .fault("array", fmt::format("array: {} array{}; a trace takes 2 to {}, one a rank",
                                    out.size(), out.size() == 1 ? "" : "s", kMostTracedRanks))
        .help("part the ranks' arrays by semicolons: \"1 2; 3 4\"");
    return {};
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (out[k].size() == out[0].size()) continue;
    asked
        .fault("array", fmt::format("array: rank {} has {} numbers, rank 0 has {}", k,
                                    out[k].size(), out[0].size()))
        .help("give every rank as many");
    return {};
  }
  if (out[0].size() < out.size() || out[0].size() > kMostTracedNumbers) {
    asked
        .fault("array", fmt::format("array: {} numbers a rank; {} ranks take {} to {}",
                                    out[0].size(), out.size(), out.size(), kMostTracedNumbers))
        .help("an array is cut into a piece a rank, of one number at least");
    return {};
  }
  return out;
}

void play_on(const std::vector<Numbers>& arrays, CollectiveOp op, bool direct, bool draw,
             Result& result) {
  const Play play = play_of(op, direct, static_cast<int>(arrays.size()));
  Store store = starting_store(op, arrays);
  const Drawing drawing(play, store, result);
  const std::string name = direct ? "all peers at once" : "ring";
  if (draw) drawing.draw("Start: each rank's pieces", store, nullptr);
  std::size_t done = 0, total = 0;
  for (std::size_t k = 0; k < play.rounds.size(); ++k) {
    const Round& round = play.rounds[k];
    const bool begins = k == 0 || play.rounds[k - 1].phase != round.phase;
    const bool ends = k + 1 == play.rounds.size() || play.rounds[k + 1].phase != round.phase;
    if (begins) done = total = 0;
    const Moved moved = moved_in(round, store);
    total += *std::max_element(moved.sent.begin(), moved.sent.end());
    play_round(round, store);
    if (draw)
      drawing.draw(fmt::format("{}, {}, step {} of {}", name, round.phase, ++done,
                               rounds_of(play, round.phase)),
                   store, &round);
    if (ends)
      add(result, fmt::format("trace.{}.sent", id_of(round.phase)),
          fmt::format("numbers a rank sends in the {}", round.phase), static_cast<double>(total),
          Hint::kCount);
    if (ends && round.phase == "reduce-scatter") owned_sums(store, result);
  }
  const Played whole = played(play, starting_store(op, arrays));
  add(result, "trace.sent", "numbers a rank sends",
      static_cast<double>(*std::max_element(whole.moved.sent.begin(), whole.moved.sent.end())),
      Hint::kCount);
}

}  // namespace reckon
