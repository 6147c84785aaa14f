// The values that each dimension of a space may take for one plan, the simplest first, and what rules out the others.
#pragma once

#include "candidate.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/space.hpp"

namespace reckon::searching {

struct Choices {
  std::vector<int> tensor{1}, context{1}, pipeline{1}, expert{1};
  std::vector<int> expert_tensor{0};  // 0: as tensor
  std::vector<bool> sequence{false};
  std::vector<int> micro{1};
  std::vector<Recompute> recompute{Recompute::kNone};
  std::vector<ScheduleKind> kinds{ScheduleKind::k1f1b};
  std::vector<int> chunks;  // empty: all that divide the layers
  std::vector<int> zero{0};
  std::vector<Within> within{Within::kAll};
  std::vector<Offload> offload{Offload::kNone};
  bool played = false;  // schedules may be played out
  bool tensor_in_node = false;
};

// What a space opens of this plan. Listed values that no plan can take are left out.
// A field that the space opens, and by what: "mesh.tensor" by "search: parallel".
struct ChosenField {
  std::string path, said_by, example;
};
std::vector<ChosenField> chosen_fields(const Space<double>& space);

Choices choices_of(const Space<double>& space, const TrainingPlan<double>& plan);

std::vector<int> divisors(long n);

}  // namespace reckon::searching
