// A back-of-the-envelope question's answer, as people read it.
//
//   all-reduce of 14 GB over 8 ranks
//     54.44 ms by ring: each rank sends 24.5 GB, 1.75 × the array
//
//   bytes = passes·share·S = 2·0.875·14 GB = 24.5 GB
//   t_ring = wait + bytes / W = 0 s + 24.5 GB / (450 GB/s) = 54.44 ms
//
//   Algorithms        steps  a rank sends      time
//     ring               14       24.5 GB  54.44 ms  ◂
//     …
//   Convention: preset textbook · ring_factor keep · latency 0 s
//   Also
//     (q − 1)/q dropped (--assume ring_factor=drop)  28 GB  62.22 ms
//
// Several values give a table: a row each, with what varies and the question's main metrics. JSON and CSV of
// questions are those of plans (json.hpp, csv.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/engine/loaded.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

// Fills in answer.equations, from a recording of the question.
void write_equations(Result& result, const Loaded& loaded);

std::string question_text(const Result& result, const TextStyle& style = {});
std::string question_markdown(const Result& result);

// A row of a table: what varies, in words, and the result.
struct QuestionRow {
  std::vector<std::string> values;
  Result result;
};
struct QuestionTable {
  std::vector<std::string> varied;   // names of what varies
  std::vector<std::string> metrics;  // ids shown
  std::vector<QuestionRow> rows;
};
std::string question_table_text(const QuestionTable& table, const TextStyle& style = {});
std::string question_table_markdown(const QuestionTable& table);

}  // namespace reckon
