// From what was kept to what is printed: plans loaded again as `eval` loads them, and what became of the rest in words.
#pragma once

#include "layouts.hpp"
#include "reckon/engine/search.hpp"

namespace reckon::searching {

// A plan file with these fields set; faults are ours, since what is set was found legal.
FoundPlan load_found(Workspace& work, const SearchRequest& request,
                     std::vector<std::pair<std::string, std::string>> sets);

// One plan is listed once, in however many ways it was varied into.
void add_once(FoundPlan plan, std::vector<FoundPlan>& listed);

// The value of a metric of a loaded plan; NaN if it has none.
double metric_of(const FoundPlan& plan, std::string_view id);

// "mesh.tensor=8, recompute=full"
std::string in_words(const std::vector<std::pair<std::string, std::string>>& sets);

// What became of the plans of one base; `sets`: what makes that base of the plan as it stands.
void add_tally(const TrainingPlan<double>& base,
               const std::vector<std::pair<std::string, std::string>>& sets,
               const SearchRequest& request, const std::vector<Metric>& units, const Layouts& found,
               Tally& tally);

// The best plan is none of the others.
void without_best(std::size_t part, Tally& tally);

// Whether a list of fields and values has one of that name.
bool has_field(const std::vector<std::pair<std::string, std::string>>& fields,
               const std::string& path);

// What the given plan states of the fields that are varied, where `fields` has none of that name.
void add_given_fields(const std::vector<Axis>& axes, const doc::Value& resolved,
                      std::vector<std::pair<std::string, std::string>>& fields);

// What loading the best plans warned of, each message once.
void note_warnings(Found& found);

// The metrics that rank the plans, as columns, where the usual ones lack them.
void add_ranked(Found& found);

// Why there is no plan at all, as a fault that says what to change.
void empty_space(const TrainingPlan<double>& base, const Choices& choices, const Layouts& found,
                 Span at, Diagnostics& diagnostics);

}  // namespace reckon::searching
