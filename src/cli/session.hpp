// What every command shares: the data it finds, where output goes, how faults are shown.
//
// stdout carries the result alone; faults, warnings and notes go to stderr. Colour only on a terminal
// and without NO_COLOR.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/load.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon::cli {

// Exit codes of the program.
enum Exit { kOk = 0, kNo = 1, kUsage = 2, kInternal = 3 };

enum class Format { kText, kJson, kCsv, kMarkdown };

class Session {
 public:
  explicit Session(const std::string& data_option);

  Workspace& work() { return work_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  bool colour() const { return colour_; }
  std::size_t width() const { return width_; }

  // Writes to stdout; kInternal if that fails.
  void print(const std::string& text);
  // Shows what has been collected so far, once. True if there was an error.
  bool report_faults();
  // A message on stderr: "note: …".
  void note(const std::string& text) const;

  // A plan's tree from a file, or from stdin for "-".
  doc::Value read_plan(const std::string& name);

 private:
  Workspace work_;
  Diagnostics diagnostics_;
  bool colour_;
  std::size_t width_;
};

// "mesh.tensor=8" -> path and value. False after reporting.
bool split_sets(const std::vector<std::string>& words, Sets& out, Diagnostics& diagnostics);

// ".json" -> kJson; false for an ending that no format has.
bool format_of_file(const std::string& file, Format& out);

// Writes a file; false after reporting.
bool write_file(const std::string& file, const std::string& text, Diagnostics& diagnostics);

}  // namespace reckon::cli
