// Schedules that are played again and again with the same times, and some that need no playing: a search asks for
// many plans that share both, and most of them can be told from a bound to come too late.
//
//   Plays plays;
//   const PlaysInUse here(plays);             // for what this thread plays from now on
//   plays.bound(true);                        // a path that the step surely holds, in no time
//   played_once(x, times, staggered).time;
//
// Without a PlaysInUse, played_once plays. What is remembered is what playing gave, to the bit.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reckon/schedule/play.hpp"

namespace reckon::schedule {

// Passes that follow each other in any order a schedule may have: down to a rank's first piece, all of the rank's own,
// and the way back where no weight pass can be put off. The step takes that long at least; `staggered`: a rank's own
// step, so nothing before and after it. Slots and busy times are empty.
Played least_path(const PipelineLayout& x, const PipelineTimes& times, bool staggered);

class Plays {
 public:
  Played of(const PipelineLayout& x, const PipelineTimes& times, bool staggered);
  void bound(bool on) { bounds_ = on; }
  void forget();
  std::uint64_t asked() const { return asked_; }  // so often since forget(), whatever the answer

 private:
  bool bounds_ = false;
  std::uint64_t asked_ = 0;
  std::map<std::vector<double>, Played> known_;  // by layout and times
  PipelineLayout last_;
  Order order_;  // of the last layout
};

// Lets this thread's playing go through one, as long as it lives.
class PlaysInUse {
 public:
  explicit PlaysInUse(Plays& plays);
  ~PlaysInUse();
  PlaysInUse(const PlaysInUse&) = delete;
  PlaysInUse& operator=(const PlaysInUse&) = delete;

 private:
  Plays* before_;
};

// The layout's own order, played with these times.
Played played_once(const PipelineLayout& x, const PipelineTimes& times, bool staggered);

}  // namespace reckon::schedule
