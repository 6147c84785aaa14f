// One layout among the many: everything a search may choose, in few bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/spec/training.hpp"

namespace reckon::searching {

// What decides the shapes of a GPU's tensors, so that plans which agree in it share their layers' memory and time.
struct Shape {
  int tensor = 1, context = 1, expert = 1, expert_tensor = 0;  // expert_tensor 0: as tensor
  int micro = 1;     // sequences of a micro-batch; of a batch by tokens the number of micro-batches
  int pipeline = 0;  // fixed here where tokens of a micro-batch follow from it (batch by tokens)
  bool sequence = false;
  Recompute recompute = Recompute::kNone;
};

// The rest: which may differ at no cost to what is shared.
struct Rest {
  int pipeline = 1, chunks = 1;
  ScheduleKind kind = ScheduleKind::k1f1b;
  signed char zero = 0;
  Within within = Within::kAll;
  Offload offload = Offload::kNone;
};

struct Candidate {
  Shape shape;
  Rest rest;
};

// What of the plan says where it stands among GPUs.
long gpus_of(const TrainingPlan<double>& plan);
int data_degree(const TrainingPlan<double>& base, const Shape& s, int pipeline);

void set_shape(const TrainingPlan<double>& base, const Shape& s, TrainingPlan<double>& plan);
void set_rest(const TrainingPlan<double>& base, const Candidate& c, TrainingPlan<double>& plan);

// What `--set` makes of the base plan to get this one; fields that stay are left out.
std::vector<std::pair<std::string, std::string>> sets_of(const TrainingPlan<double>& base,
                                                         const Candidate& c);

// Everything that was chosen, also what the base plan has so.
std::vector<std::pair<std::string, std::string>> fields_of(const TrainingPlan<double>& base,
                                                           const Candidate& c);

// The base plan itself as a candidate.
Candidate candidate_of(const TrainingPlan<double>& plan);

}  // namespace reckon::searching
