// From a table of texts to measured points: shared by all formats of files.
#pragma once

#include "reckon/engine/measured.hpp"

namespace reckon {

// A cell with its place.
struct TableCell {
  std::string text;
  Span span;
};

// "time us" -> the column and what one of its unit is in SI. False after a fault.
struct TableColumn {
  MeasuredColumn column;
  double unit = 1;
};
bool read_column(const TableCell& said, TableColumn& out, Diagnostics& diagnostics);

// No column of ours stands twice; false after a fault.
bool no_column_twice(const std::vector<TableColumn>& columns, const std::vector<TableCell>& said,
                     Diagnostics& diagnostics);

// The factor between the bytes of an array and those that a rank sends, as nccl-tests counts its busbw.
double bus_factor(MeasuredKernel kernel, double ranks);

// How far a figure of so many decimals may lie from what was rounded to it: "13.2" -> 0.05.
double half_of_last_digit(const std::string& text);

// Whether a chip is named by a file of one's own: then its name says nothing of the device.
bool is_own_file(const std::string& chip);

// Adds a point to the set; false after a fault. `columns` says what the cells are.
bool add_point(MeasuredSet& set, const std::vector<TableColumn>& columns,
               const std::vector<TableCell>& cells, Span row, Diagnostics& diagnostics);

// The arithmetic of a point by its shape; NaN where the kernel has none that its sizes say.
double flops_of(const MeasuredSet& set, const MeasuredPoint& p);

// What a foreign file says itself, or has no use for, may not be said beside it: a fault for each of `options` that is.
struct SaidBeside {
  const char* option;
  bool said;
};
bool nothing_beside(const std::vector<SaidBeside>& options, const std::string& file, Span at,
                    Diagnostics& d);
// Of a file that says all of it itself: kernel, library, format and columns.
bool stands_alone(const FileFacts& facts, const std::string& file, Span at, Diagnostics& d);

// Points that stand twice; a set without any; sizes that a kernel needs, and those that only some points state.
void check_set(const MeasuredSet& set, Diagnostics& diagnostics);

// The word of a kernel; false after a fault that lists them.
bool read_kernel(const std::string& word, Span span, MeasuredKernel& out, Diagnostics& diagnostics);

// A file of kind `measurements`.
std::vector<MeasuredSet> read_tables(doc::Value tree, Diagnostics& diagnostics);
std::vector<MeasuredSet> read_nccl_tests(const SourceFile* file, const FileFacts& facts,
                                         Diagnostics& diagnostics, std::vector<std::string>& notes);
std::vector<MeasuredSet> read_nccl_tests_json(const doc::Value& tree, const FileFacts& facts,
                                              Diagnostics& diagnostics,
                                              std::vector<std::string>& notes);
std::vector<MeasuredSet> read_nvbandwidth(const doc::Value& tree, const FileFacts& facts,
                                          Diagnostics& diagnostics,
                                          std::vector<std::string>& notes);
// nvbandwidth's text, made the tree that its JSON gives.
doc::Value nvbandwidth_tree(const SourceFile* file);
// What reckon-bench writes.
std::vector<MeasuredSet> read_bench(doc::Value tree, const FileFacts& facts,
                                    Diagnostics& diagnostics, std::vector<std::string>& notes);
std::vector<MeasuredSet> read_csv(const SourceFile* file, const FileFacts& facts,
                                  Diagnostics& diagnostics, std::vector<std::string>& notes);

}  // namespace reckon
