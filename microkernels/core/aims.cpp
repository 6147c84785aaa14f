#include "aims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/spec/aims.hpp"
#include "sweep.hpp"

namespace reckon::bench {
namespace {

void read_sizes(const doc::Value& sizes, Problem& p, Diagnostics& d) {
  if (sizes.is_null()) return;
  if (!sizes.is_mapping()) {
    d.error(sizes.span, "sizes: expected numbers by name").help("sizes: {m: 8192, n: 8192}");
    return;
  }
  for (const doc::Entry& e : sizes.entries) {
    std::int64_t x = 0;
    if (!has_size(p.op, e.key))
      d.error(e.key_span, fmt::format("{}: it has no size '{}'", p.op, printable(e.key)));
    else if (read_size(e.value, x, d))
      p.shape.emplace_back(e.key, x);
  }
}

bool is_operation(const std::string& word) {
  const std::vector<std::string>& all = known_operations();
  return std::find(all.begin(), all.end(), word) != all.end();
}

Aim aim_of(const AimOfKernel<double>& said, const doc::Value& at, Diagnostics& d) {
  Aim a;
  a.kernel = {std::string(reckon::name_of(said.op)), said.dtype, said.library, "", "", {}};
  a.of = said.of;
  a.by_best = is_operation(said.of);
  a.at_least = said.at_least ? said.at_least->raw : 0;
  a.on = said.on;
  a.source = said.source;
  if (!is_operation(a.kernel.op))
    d.error(at.find("op")->span,
            fmt::format("op '{}': reckon-bench has no such operation", a.kernel.op))
        .help(listed(known_operations(), "or"));
  if (!said.dtype.empty() && element_bytes(said.dtype) <= 0)
    d.error(at.find("dtype")->span,
            fmt::format("no number format is called '{}'", printable(said.dtype)))
        .help("fp32, tf32, bf16, fp16 or fp8");
  if (a.of == a.kernel.library)
    d.error(at.find("of")->span, fmt::format("'{}' is held against itself", printable(a.of)))
        .help("of: another library, or an operation whose best rate is the yardstick");
  if (a.at_least > 0 && a.source.empty())
    d.error(at.find("at_least")->span, "an aim needs its source").help("source: who set it");
  read_sizes(said.sizes, a.kernel, d);
  return a;
}

}  // namespace

std::vector<Aim> read_aims(Workspace& work, const std::string& file, Diagnostics& d) {
  doc::Value tree = work.read(file, {}, d);
  if (d.has_errors()) return {};
  const doc::Value kind = doc::take(tree, "kind");
  if (kind.text != "aims") {
    d.error(kind.span ? kind.span : tree.span, fmt::format("{}: no file of kind: aims", file));
    return {};
  }
  Aims<double> said;
  Origins origins;
  bind(tree, said, {d, origins});
  if (d.has_errors()) return {};
  std::vector<Aim> out;
  const doc::Value& all = *tree.find("aims");
  for (std::size_t i = 0; i < said.aims.size(); ++i)
    out.push_back(aim_of(said.aims[i], all.items[i], d));
  return d.has_errors() ? std::vector<Aim>{} : out;
}

std::string name_of(const Aim& aim) {
  std::string out = aim.kernel.op;
  if (!aim.kernel.dtype.empty()) out += " " + aim.kernel.dtype;
  for (const auto& [key, size] : aim.kernel.shape) out += fmt::format(" {}={}", key, size);
  if (!aim.kernel.library.empty()) out += ", " + aim.kernel.library;
  return out;
}

}  // namespace reckon::bench
