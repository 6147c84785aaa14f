// How good a prediction has been: the errors of measured runs most like a plan.
//
//   for (const Accuracy& a : accuracy_of(work, plan)) a.text      // "rows like this (nemo-2024-h100, dense 16 bit): …"
//
// From measurements/errors.csv, which `reckon validate --update` writes: each row's error as predicted without its
// source (step time), or as it is (memory, where nothing was fitted on a stack's rows). Nearest first: stack and kind,
// stack, chip and kind, chip; with at least six rows, for fewer prove nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/engine/result.hpp"
#include "reckon/engine/workspace.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

inline constexpr std::size_t kRowsThatProve = 6;

// Why rows prove nothing of a plan, in words; empty where they may: none was priced by its stack's constants.
struct Unproved {
  std::string time, memory;
};

// Of the step time, if the plan has one, and of the memory.
std::vector<Accuracy> accuracy_of(Workspace& work, const TrainingPlan<double>& plan, bool has_time,
                                  const Unproved& unproved = {});

// Core runs behind a stack that ships; nothing where the file does not know the stack.
std::optional<std::size_t> core_runs(Workspace& work, const std::string& stack);

// Of the figures of a serving plan: rows of its engine on its chip, or of its engine, of models like the plan's (dense,
// or of experts), each predicted by constants fitted without its model where the engine's rows have more than one.
std::vector<Accuracy> serving_accuracy(Workspace& work, const std::string& engine,
                                       const std::string& chip, const Model<double>& model);

// The file's text from the runs that ship; empty after a fault.
std::string errors_csv(Workspace& work, Diagnostics& diagnostics);

// Rows of measurements/errors.csv that the runs that ship would write otherwise, in words; a difference below
// `tolerance` is none (fits end a hair apart on different machines).
std::vector<std::string> stale_errors(Workspace& work, Diagnostics& diagnostics,
                                      double tolerance = 0.002);

// Where the file lies, or is to lie; empty if no root holds plans/measured.
std::filesystem::path errors_file(const Workspace& work);

}  // namespace reckon
