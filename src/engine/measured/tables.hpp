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

// Adds a point to the set; false after a fault. `columns` says what the cells are.
bool add_point(MeasuredSet& set, const std::vector<TableColumn>& columns,
               const std::vector<TableCell>& cells, Span row, Diagnostics& diagnostics);

// Points that stand twice; a set without any; the columns a kernel needs.
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
