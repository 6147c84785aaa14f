// What every command shares: the data it finds, where output goes, how faults are shown.
//
// stdout carries the result alone; faults, warnings and notes go to stderr. Colour only on a terminal
// and without NO_COLOR.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/load.hpp"
#include "reckon/engine/workspace.hpp"
#include "reckon/report/style.hpp"

namespace reckon::cli {

// Exit codes of the program.
enum Exit { kOk = 0, kNo = 1, kUsage = 2, kInternal = 3, kExplained = 4 };

// Thrown where stdout takes no more: a full disk, a closed descriptor, a reader that has gone.
struct OutputFailed {
  int reason;  // errno
};
void write_out(const std::string& text);
// To stderr; where that can't be written there is nobody left to tell.
void write_err(const std::string& text) noexcept;

enum class Format { kText, kJson, kCsv, kMarkdown };

// What the function of a format writes; the others are not called.
template <class Text, class Json, class Csv, class Markdown>
std::string in_format(Format format, Text text, Json json, Csv csv, Markdown markdown) {
  switch (format) {
    case Format::kJson:
      return json();
    case Format::kCsv:
      return csv();
    case Format::kMarkdown:
      return markdown();
    case Format::kText:
      break;
  }
  return text();
}

class Session {
 public:
  explicit Session(const std::string& data_option);

  Workspace& work() { return work_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  bool colour() const { return colour_; }
  std::size_t width() const { return width_; }
  TextStyle style(bool verbose = false) const {
    return {colour_, width_, verbose, terminal_ && !wide_};
  }
  void set_wide() { wide_ = true; }  // tables as wide as they come
  void set_page() {
    page_ = true;
  }  // what is printed is Markdown, and comes out as one page of HTML

  // Writes to stdout; OutputFailed if that fails. A page is written when all of it is there.
  void print(const std::string& text);
  void finish_page();
  // A named data folder must be one: false after reporting.
  bool check_data(const std::string& data_option);
  // Shows what has been collected so far, once. True if there was an error.
  bool report_faults();
  // A message on stderr: "note: …".
  void note(const std::string& text) const;

  // A plan's tree from a file, or from stdin for "-".
  doc::Value read_plan(const std::string& name);

 private:
  // A note where this folder holds data of its own, and those of another are used.
  void say_other_data() const;

  Workspace work_;
  Diagnostics diagnostics_;
  bool colour_;
  std::size_t width_;
  bool terminal_, wide_ = false, page_ = false;
  std::string markdown_;  // of the page so far
};

// "mesh.tensor=8" -> path and value. False after reporting.
bool split_sets(const std::vector<std::string>& words, Sets& out, Diagnostics& diagnostics);

// ".json" -> kJson; false for an ending that no format has.
bool format_of_file(const std::string& file, Format& out);

// False, after a fault, for a name that says another format than the YAML that would be in it.
bool is_yaml_file(const std::string& file, Diagnostics& diagnostics);

// False, after a fault, if the output is one of the files that are read, under whatever name.
bool keeps_inputs(const std::string& output, const std::vector<std::string>& inputs,
                  Diagnostics& diagnostics);

// Writes a file whole or not at all (base/atomic_file.hpp); false after reporting.
bool write_file(const std::string& file, const std::string& text, Diagnostics& diagnostics);

}  // namespace reckon::cli
