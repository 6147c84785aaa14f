#include "sweep.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"

namespace reckon::bench {
namespace {

struct SweepCase {
  std::string op;
  std::vector<std::string> dtypes, libraries, launches, caches;
  doc::Value sizes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("op", "", "what is run").required(), s.op...);
    v(Field("dtypes", "", "number formats"), s.dtypes...);
    v(Field("libraries", "", "whose kernels"), s.libraries...);
    v(Field("launches", "", "stream, graph"), s.launches...);
    v(Field("caches", "", "cold, hot"), s.caches...);
    v(Field("sizes", "", "of the shape: a number or a list each"), s.sizes...);
  }
};

struct Sweep {
  std::string comment;
  std::vector<SweepCase> cases;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("cases", "", "products of lists").required(), s.cases...);
  }
};

// Multiplies the problems by the choices: each with each.
template <class T, class Set>
void multiply(std::vector<Problem>& all, const std::vector<T>& choices, Set set) {
  if (choices.empty()) return;
  std::vector<Problem> out;
  for (const Problem& p : all)
    for (const T& choice : choices) {
      out.push_back(p);
      set(out.back(), choice);
    }
  all = std::move(out);
}

void add_sizes(const doc::Value& sizes, std::vector<Problem>& all, Diagnostics& d) {
  for (const doc::Entry& e : sizes.entries) {
    std::vector<std::int64_t> values;
    const auto add = [&](const doc::Value& v) {
      std::int64_t x = 0;
      if (read_size(v, x, d)) values.push_back(x);
    };
    if (e.value.is_sequence())
      for (const doc::Value& v : e.value.items) add(v);
    else
      add(e.value);
    multiply(all, values, [&e](Problem& p, std::int64_t x) { p.shape.emplace_back(e.key, x); });
  }
}

std::vector<Problem> problems_of(const SweepCase& c, Diagnostics& d) {
  std::vector<Problem> all(1);
  all[0].op = c.op;
  multiply(all, c.libraries, [](Problem& p, const std::string& x) { p.library = x; });
  multiply(all, c.dtypes, [](Problem& p, const std::string& x) { p.dtype = x; });
  multiply(all, c.launches, [](Problem& p, const std::string& x) { p.launch = x; });
  multiply(all, c.caches, [](Problem& p, const std::string& x) { p.cache = x; });
  if (c.sizes.is_mapping()) add_sizes(c.sizes, all, d);
  return all;
}

}  // namespace

bool read_size(const doc::Value& v, std::int64_t& out, Diagnostics& d) {
  for (const Dim dim : {kOne, kByte}) {
    const auto parsed = parse_quantity(v.text, dim);
    const double* x = std::get_if<double>(&parsed);
    if (!x || !(*x >= 1) || *x > 1e15 || *x != std::floor(*x)) continue;
    out = static_cast<std::int64_t>(*x);
    return true;
  }
  d.error(v.span, fmt::format("'{}' is no size: a whole number of at least 1", printable(v.text)));
  return false;
}

std::vector<Problem> read_sweep(Workspace& work, const std::string& file, Diagnostics& d) {
  doc::Value tree = work.read(file, {}, d);
  if (d.has_errors()) return {};
  const doc::Value kind = doc::take(tree, "kind");
  if (kind.text != "sweep") {
    d.error(kind.span ? kind.span : tree.span, fmt::format("{}: no file of kind: sweep", file));
    return {};
  }
  Sweep sweep;
  Origins origins;
  bind(tree, sweep, {d, origins});
  if (d.has_errors()) return {};
  std::vector<Problem> out;
  const doc::Value& cases = *tree.find("cases");
  for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
    for (Problem& p : problems_of(sweep.cases[i], d)) {
      const std::string fault = fault_of(p);
      if (!fault.empty()) d.error(cases.items[i].span, fault);
      out.push_back(std::move(p));
    }
  }
  return d.has_errors() ? std::vector<Problem>{} : out;
}

bool wanted(const Problem& problem, const std::string& only) {
  if (only.empty()) return true;
  const std::string name = name_of(problem);
  for (std::size_t from = 0; from <= only.size();) {
    const std::size_t to = std::min(only.find(',', from), only.size());
    bool all = to > from;
    for (std::size_t at = from; at < to;) {
      const std::size_t end = std::min(only.find(' ', at), to);
      all = all && name.find(only.substr(at, end - at)) != std::string::npos;
      at = end + 1;
    }
    if (all) return true;
    from = to + 1;
  }
  return false;
}

}  // namespace reckon::bench
