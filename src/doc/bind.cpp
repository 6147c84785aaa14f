#include "reckon/doc/bind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::detail {
namespace {

constexpr std::size_t kLongestQuantity = 200;  // bytes; what is longer is a text gone astray
constexpr std::size_t kHelpWidth = 90;

// No plan comes near these; within them, products of a few counts stay exact and divisors are found at once.
struct Bound {
  double most;
  std::string_view words;
};
Bound bound_of(Hint hint) {
  switch (hint) {
    case Hint::kCount:
      return {16777216, "2^24 = 16,777,216"};
    case Hint::kLength:
      return {1099511627776, "2^40 = 1,099,511,627,776"};
    default:
      return {1e24, "1e24"};
  }
}

// What was written, as a message says it: 'eight', a list, a mapping.
std::string found(const doc::Value& v) {
  if (v.is_scalar()) return fmt::format("'{}'", shortened(v.text));
  return v.is_null() ? "nothing" : "a " + doc::kind_of(v);
}

Diagnostic& expected(const doc::Value& v, std::string_view name, std::string_view form,
                     const BindContext& c) {
  return c.diagnostics.error(v.span,
                             fmt::format("{}: expected {}, found {}", name, form, found(v)));
}

// "did you mean 'full'?", or all there are.
std::string suggestion(const std::string& nearest, std::string_view kind,
                       const std::vector<std::string>& all) {
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return wrap(fmt::format("{}: {}", kind, join(all, ", ")), kHelpWidth);
}

// `value` of {value: …, source: …}; nullptr after reporting a fault.
const doc::Value* inner_value(const doc::Value& v, const Field& f, const BindContext& c) {
  const BindContext inside = c.in(f.name);
  const doc::Value* value = v.find("value");
  std::string meant;
  for (const doc::Entry& e : v.entries)
    if (e.key != "value" && e.key != "source") meant += unknown_key(e, {"value", "source"}, inside);
  const doc::Value* source = v.find("source");
  if (source && !source->is_scalar() && !source->is_null())
    expected(*source, "source", "a text", inside);
  if (value && !value->is_null()) return value;
  if (meant.find("value") == std::string::npos)
    missing_key(v, Field("value", "", "the number itself"), inside);
  return nullptr;
}

std::string_view rule(Limit limit) {
  switch (limit) {
    case Limit::kNonNegative:
      return "must not be negative";
    case Limit::kPositive:
      return "must be more than 0";
    case Limit::kAtLeastOne:
      return "must be at least 1";
    case Limit::kShare:
      return "must be from 0 to 1";
    case Limit::kEfficiency:
      return "must be more than 0 and at most 1";
  }
  return "";
}

// Nothing with a unit is so small or so large; a few such figures multiplied would leave what a double holds.
bool is_absurd(Dim dim, Hint hint, double x) {
  constexpr double kLargest = 1e60;
  if (x == 0 || (dim == kOne && hint != Hint::kFraction)) return false;
  return x > kLargest || x < 1 / kLargest;
}

bool within_limit(const doc::Value& v, Dim dim, const Field& f, double x, const BindContext& c) {
  const Bound bound = bound_of(f.hint_);
  if (dim == kOne && x > bound.most) {
    c.diagnostics.error(v.span, fmt::format("{}: {} is more than the {} that reckon goes to",
                                            f.name, found(v), bound.words));
    return false;
  }
  if (is_absurd(dim, f.hint_, x)) {
    c.diagnostics
        .error(v.span, fmt::format("{}: {} is too {} to be meant", f.name, found(v),
                                   x < 1 ? "close to zero" : "large"))
        .help("expected " + expected_form(dim, f.hint_));
    return false;
  }
  if (holds(f.limit_, x)) return true;
  Diagnostic& d =
      c.diagnostics.error(v.span, fmt::format("{}: {} {}", f.name, found(v), rule(f.limit_)));
  if (x > 1 && f.hint_ == Hint::kFraction) d.help("a share is written 40% or 0.4");
  return false;
}

WholeRange whole_range(const Field& f) {
  const bool share = f.limit_ == Limit::kShare || f.limit_ == Limit::kEfficiency;
  return {holds(f.limit_, 0) ? 0.0 : 1.0, share ? 1.0 : bound_of(f.hint_).most};
}

bool is_bare_zero(std::string_view text) {
  return text.find('0') != text.npos && text.find_first_not_of("+-.0") == text.npos;
}

// The struct being bound, for a message.
std::string place(const BindContext& c) { return c.path.empty() ? "here" : "in " + c.path; }

}  // namespace

bool read_number(const doc::Value& v, Dim dim, const Field& f, const BindContext& c, double& out) {
  if (v.is_mapping()) {
    const doc::Value* value = inner_value(v, f, c);
    if (!value) return false;
    if (value->is_scalar()) return read_number(*value, dim, f, c, out);
    return expected(*value, f.name, expected_form(dim, f.hint_), c), false;
  }
  if (!v.is_scalar() || v.text.size() > kLongestQuantity)
    return expected(v, f.name, expected_form(dim, f.hint_), c), false;
  const auto result = parse_quantity(v.text, dim, f.hint_, whole_range(f));
  if (const auto* fault = std::get_if<ParseError>(&result)) {
    if (is_bare_zero(v.text) && !holds(f.limit_, 0)) {  // with a unit it would be refused again
      c.diagnostics.error(v.span, fmt::format("{}: {} {}; expected {}", f.name, found(v),
                                              rule(f.limit_), expected_form(dim, f.hint_)));
      return false;
    }
    c.diagnostics.error(v.span, fmt::format("{}: {}", f.name, fault->message)).help(fault->help);
    return false;
  }
  const double x = std::get<double>(result);
  if (!within_limit(v, dim, f, x, c)) return false;
  out = x;
  return true;
}

bool read_bool(const doc::Value& v, const Field& f, const BindContext& c, bool& out) {
  const std::string word = v.is_scalar() ? lowered(v.text) : "";
  const bool yes = word == "true" || word == "yes" || word == "on";
  const bool no = word == "false" || word == "no" || word == "off";
  if (yes || no)
    out = yes;
  else
    expected(v, f.name, "true or false", c);
  return yes || no;
}

bool read_text(const doc::Value& v, const Field& f, const BindContext& c, std::string& out) {
  if (!v.is_scalar()) {
    expected(v, f.name, "a text", c);
    return false;
  }
  out = v.text;
  return true;
}

bool read_word(const doc::Value& v, const Field& f, const BindContext& c,
               const std::vector<std::string>& words, std::size_t& out) {
  const auto at = v.is_scalar() ? std::find(words.begin(), words.end(), v.text) : words.end();
  if (at != words.end()) {
    out = static_cast<std::size_t>(at - words.begin());
    return true;
  }
  Diagnostic& d = expected(v, f.name, "one of " + join(words, ", "), c);
  const std::string nearest = v.is_scalar() ? closest(v.text, words) : "";
  if (!nearest.empty()) d.help(suggestion(nearest, "", {}));
  return false;
}

std::string unknown_key(const doc::Entry& e, const std::vector<std::string>& known,
                        const BindContext& c) {
  const std::string nearest = closest(e.key, known);
  const std::string where = c.path.empty() ? "" : " in " + c.path;
  c.diagnostics.error(e.key_span, fmt::format("unknown key '{}'{}", shortened(e.key), where))
      .help(suggestion(nearest, "known keys", known));
  return nearest;
}

void missing_key(const doc::Value& v, const Field& f, const BindContext& c,
                 const std::string& form) {
  const doc::Entry* empty = v.entry(f.name);
  const std::string meaning = f.doc.empty() ? "" : fmt::format(" ({})", f.doc);
  const std::string message = empty
                                  ? fmt::format("'{}'{} has no value", f.name, meaning)
                                  : fmt::format("'{}'{} is missing {}", f.name, meaning, place(c));
  Diagnostic& d = c.diagnostics.error(empty ? empty->key_span : v.span, message);
  if (!form.empty())
    d.help(fmt::format("write '{}: …', {}", f.name,
                       f.by_name_ && form == "a mapping" ? "a name or a mapping" : form));
}

void check_keys(const doc::Value& v, const std::vector<std::string>& known,
                const std::vector<Missing>& missing, const BindContext& c) {
  std::vector<std::string> meant;
  for (const doc::Entry& e : v.entries)
    if (std::find(known.begin(), known.end(), e.key) == known.end())
      meant.push_back(unknown_key(e, known, c));
  for (const Missing& m : missing)
    if (std::find(meant.begin(), meant.end(), m.field.name) == meant.end())
      missing_key(v, m.field, c, m.form);
}

namespace {

// "write it like mesh: {tensor: 8}" where one of its keys takes what was written, else
// "mesh: {tensor: …, context: …, …}".
std::string mapping_help(const doc::Value& v, const Shape& shape, const std::string& path) {
  constexpr std::size_t kKeys = 3;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < std::min(kKeys, shape.keys.size()); ++i)
    keys.push_back(shape.keys[i] + ": …");
  if (shape.keys.size() > kKeys) keys.emplace_back("…");
  if (path.empty()) return "write keys, each on a line of its own: " + join(keys, ", ");
  if (!shape.taker.empty()) keys = {fmt::format("{}: {}", shape.taker, shortened(v.text))};
  const std::string key = path.substr(path.rfind('.') + 1);           // npos + 1: the whole path
  const bool item = key.find_first_not_of("0123456789") == key.npos;  // of a list
  return fmt::format("write it like {}{}{{{}}}", item ? "" : key, item ? "" : ": ",
                     join(keys, ", "));
}

}  // namespace

bool expect_mapping(const doc::Value& v, const Shape& shape, const BindContext& c) {
  if (v.is_mapping()) return true;
  const std::string name = c.path.empty() ? "the document" : c.path;
  Diagnostic& d = expected(v, name, "a mapping", c);
  const std::size_t colon = v.is_scalar() && !v.quoted ? v.text.find(':') : std::string::npos;
  if (colon != std::string::npos && colon > 0 && colon + 1 < v.text.size())
    d.help(fmt::format("write '{}: {}', with a space after the ':'",
                       shortened(v.text.substr(0, colon)), shortened(v.text.substr(colon + 1))));
  else if (!shape.keys.empty())
    d.help(mapping_help(v, shape, c.path));
  return false;
}

bool expect_sequence(const doc::Value& v, const Field& f, const BindContext& c) {
  if (v.is_sequence()) return true;
  Diagnostic& d = expected(v, f.name, "a list", c);
  if (v.is_scalar() && v.text.find_first_of("[]{}") == std::string::npos)
    d.help(fmt::format("write {}: [{}]", f.name, shortened(v.text)));
  return false;
}

void record(const doc::Value& v, const BindContext& c, std::string_view name) {
  const std::string path = name.empty() ? c.path : c.child(name);
  if (path.empty()) return;
  const doc::Value* value = v.find("value");
  const doc::Value* source = v.find("source");
  Stated stated{value ? value->span : v.span, v.replaced, {}};
  if (value && value->replaced) stated.replaced = value->replaced;
  if (source && source->is_scalar()) stated.source = source->text;
  c.origins.insert_or_assign(path, std::move(stated));
}

}  // namespace reckon::detail
