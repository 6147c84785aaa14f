#include "published.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/engine/stored.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/format.hpp"

namespace reckon::importing {
namespace {

using doc::Value;

bool is_exact(const std::string& count) {
  return !count.empty() && count.find_first_not_of("0123456789") == std::string::npos;
}

// The record's buffers for this config; those whose elements it doesn't say are left out.
Value buffers_of(const Record& record, const Evaluator& eval) {
  Value out = doc::sequence();
  for (const PossibleBuffer& b : record.spec.buffers) {
    const Found f = eval.evaluate(b.elements);
    if (!f.is_number() || f.number <= 0) continue;
    Value one = doc::mapping();
    doc::set(one, "name", doc::scalar(b.name));
    doc::set(one, "elements", doc::scalar(written(f)));
    if (!b.format.empty()) doc::set(one, "format", doc::scalar(b.format));
    if (!b.source.empty()) doc::set(one, "source", doc::scalar(b.source));
    out.items.push_back(std::move(one));
  }
  return out;
}

bool bound(Workspace& work, const Value& tree, Model<double>& model, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const Value resolved = resolve_model(work, tree, diagnostics);
  Origins unused;
  if (diagnostics.error_count() == before) bind(resolved, model, {diagnostics, unused, "model"});
  return diagnostics.error_count() == before;
}

bool has(const std::vector<std::string>& terms, std::string_view word) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const std::string& t) { return t.find(word) != std::string::npos; });
}

void state_count(const ImportRequest& request, Value& model) {
  Value parameters = doc::mapping();
  doc::set(parameters, is_exact(request.published) ? "published" : "rounded",
           doc::scalar(request.published));
  if (!request.active.empty()) doc::set(parameters, "active", doc::scalar(request.active));
  if (!request.count_source.empty()) {
    Value source = doc::scalar(request.count_source);
    source.quoted = true;
    doc::set(parameters, "source", std::move(source));
  }
  const Value source = doc::take(model, "source");
  doc::set(model, "parameters", std::move(parameters));
  doc::set(model, "source", source);
}

// `files` as the terms say they are.
void state_files(const PublishedTotal& total, const Value& buffers, Value& files) {
  for (const auto& [key, word] :
       {std::pair{"mtp", "modules for further"}, std::pair{"vision", "vision tower"},
        std::pair{"tied_copy", "tied head"}}) {
    doc::take(files, key);
    if (has(total.terms, word)) doc::set(files, key, doc::scalar("yes"));
  }
  Value held = doc::sequence();
  for (const Value& b : buffers.items)
    if (std::find(total.terms.begin(), total.terms.end(), b.find("name")->text) !=
        total.terms.end())
      held.items.push_back(b);
  doc::take(files, "buffers");
  if (!held.items.empty()) doc::set(files, "buffers", std::move(held));
}

}  // namespace

void explain_count(Workspace& work, const Record& record, const Evaluator& eval,
                   const ImportRequest& request, Imported& out, Diagnostics& diagnostics) {
  if (request.published.empty()) return;
  Value tried = out.model;
  Value files = doc::take(tried, "files");
  const bool stated = files.is_mapping();
  if (!stated) {
    files = doc::mapping();
    doc::set(files, "base", doc::scalar("bf16"));
  }
  const Value buffers = buffers_of(record, eval);
  Value all = files;
  if (!buffers.items.empty()) doc::set(all, "buffers", buffers);
  doc::set(tried, "files", std::move(all));
  Model<double> model;
  if (!bound(work, tried, model, diagnostics)) return;
  const PublishedTotal total =
      explain_published(stored_report(model), request.published, diagnostics);
  if (diagnostics.has_errors()) return;
  state_count(request, out.model);
  if (total.verdict == PublishedVerdict::kUnexplained) {
    out.unexplained = fmt::format("published {}: unexplained: {} beside {}", request.published,
                                  grouped(total.remainder), listed(total.terms));
    out.notes.push_back(out.unexplained);
    return;
  }
  out.notes.push_back(
      fmt::format("the published {} are {}", request.published, listed(total.terms)));
  const bool more = total.terms.size() > 1;
  if (!more && !stated) return;
  state_files(total, buffers, files);
  doc::set(out.model, "files", std::move(files));
}

}  // namespace reckon::importing
