#include "said_value.hpp"

#include <algorithm>

#include "reckon/engine/said_model.hpp"

namespace reckon::cli {
namespace {

void place_in(const SourceFile* file, doc::Value& v) {
  v.span.file = file;
  for (doc::Value& item : v.items) place_in(file, item);
  for (doc::Entry& e : v.entries) {
    e.key_span.file = file;
    place_in(file, e.value);
  }
}

}  // namespace

std::vector<std::string> split_values(const std::string& word) {
  std::vector<std::string> out(1);
  int depth = 0;
  char quote = 0;
  for (const char c : word) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    if (c == ',' && depth == 0 && quote == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::string flag_of_field(std::string_view field) {
  if (field == "data") return "--data-ranks";
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

doc::Value said_value(Session& session, const std::string& field, const std::string& word) {
  const std::string flag = flag_of_field(field);
  const std::size_t indent = flag.size() + 1;
  Sources& sources = session.work().sources();
  const SourceFile* shown = sources.add(flag, flag + " " + word);
  const SourceFile* parsed = sources.add(flag, std::string(indent, ' ') + word);
  const bool opens = word.starts_with('{') || word.starts_with('[');
  doc::Value value;
  if (opens) {
    value = doc::parse_yaml(parsed, session.diagnostics());
    doc::expand_dotted_keys(value, session.diagnostics());
    place_in(shown, value);
  } else {
    const Span at{shown, 1, static_cast<int>(indent) + 1, static_cast<int>(word.size())};
    value = field == "model" ? said_model(word, at) : doc::scalar(word, at);
  }
  if (word.empty())
    session.diagnostics()
        .error(Span{shown, 1, 1, static_cast<int>(indent)},
               flag + ": a value between commas is missing")
        .help("write " + flag + " 2,4,8");
  return value;
}

}  // namespace reckon::cli
