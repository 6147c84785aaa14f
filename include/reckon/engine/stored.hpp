// What a model's files hold, term by term, and which terms a published total contains.
//
//   StoredReport s = stored_report(model);
//   PublishedTotal p = explain_published(s, "684531386000", diagnostics);
//   p.verdict                      // match | explained | unexplained
//   p.terms                        // {"parameters", "modules for further tokens", …}
//
//   match        the parameters alone, or what the model's `files` says is stored
//   explained    another combination of the terms
//   unexplained  none: `terms` is the nearest, `remainder` what is left
//
// A rounded total (175B) is met within its last digit.
#pragma once

#include <string>
#include <vector>

#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/model.hpp"

namespace reckon {

struct StoredTerm {
  std::string id, name;
  double elements = 0, bytes = 0;  // no bytes where the model does not state its files
  bool held = false;               // `files` says it is there
};

struct StoredFormat {
  std::string name;
  double elements = 0, bytes = 0;  // of what the files hold
};

struct StoredReport {
  bool stated = false;            // whether the model states its files
  std::vector<StoredTerm> terms;  // parameters first; those that are nothing are left out
  std::vector<StoredFormat> formats;
  double elements = 0, bytes = 0;  // of what the files hold, scales counted as elements
};

enum class PublishedVerdict { kMatch, kExplained, kUnexplained };
constexpr auto names(PublishedVerdict) { return std::array{"match", "explained", "unexplained"}; }

struct PublishedTotal {
  PublishedVerdict verdict = PublishedVerdict::kUnexplained;
  std::string published;
  std::vector<std::string> terms;
  double computed = 0, remainder = 0;
};

StoredReport stored_report(const Model<double>& model);
PublishedTotal explain_published(const StoredReport& stored, const std::string& published,
                                 Diagnostics& diagnostics);

// Whether a count is the printed one: exact, or within half of the last digit of "8.03B".
bool rounds_to(double exact, const std::string& printed);

}  // namespace reckon
