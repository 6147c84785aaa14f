#include "kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

std::string text_of(const doc::Value* v) {
  if (!v || !v->is_scalar()) return "yes";
  const std::string& t = v->text;
  return t == "true" || t == "yes" ? "yes" : t == "false" || t == "no" ? "no" : t;
}

// A key that an entry leaves out says yes; any head width; a cache as the queries.
bool fits(const doc::Value& entry, const std::pair<std::string, std::string>& wanted) {
  const auto& [key, value] = wanted;
  const doc::Value* stated = entry.find(key);
  if (stated && !stated->is_null()) return text_of(stated) == value;
  if (key == "kv_format") return text_of(entry.find("format")) == value;
  return value == "yes" || key == "head_width";
}

bool fits(const doc::Value& entry, const WantedKernel& wanted) {
  return std::all_of(wanted.match.begin(), wanted.match.end(),
                     [&entry](const auto& m) { return fits(entry, m); });
}

// Entries of the file that fit.
std::vector<const doc::Value*> candidates(const doc::Value& file, const WantedKernel& wanted) {
  std::vector<const doc::Value*> out;
  if (const doc::Value* list = file.find(wanted.list))
    for (const doc::Value& entry : list->items)
      if (fits(entry, wanted)) out.push_back(&entry);
  return out;
}

// The other format of 16 bits: kernels of both run alike.
WantedKernel in_fp16(WantedKernel wanted) {
  for (auto& [key, value] : wanted.match)
    if (value == "bf16") value = "fp16";
  return wanted;
}

// The one whose library is named, else the first.
const doc::Value* choose(const std::vector<const doc::Value*>& found, const doc::Value* library,
                         const WantedKernel& wanted, Diagnostics& d) {
  if (found.empty()) return nullptr;
  if (!library || library->text.empty()) return found.front();
  std::vector<std::string> known;
  for (const doc::Value* e : found) {
    known.push_back(text_of(e->find("library")));
    if (known.back().starts_with(library->text)) return e;
  }
  const std::string near = closest(library->text, known);
  d.error(library->span,
          fmt::format("no {} of library '{}' was measured", wanted.what, library->text))
      .help(near.empty() ? "there is " + listed(known) : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

}  // namespace

std::string said(const doc::Value& tree, std::string_view key, const std::string& otherwise) {
  const doc::Value* v = tree.find(key);
  return v && v->is_scalar() && !v->text.empty() ? v->text : otherwise;
}

void fill_launch(Workspace& work, const std::string& chip, doc::Value& tree,
                 Diagnostics& diagnostics) {
  for (const std::string& name : {said(tree, "kernels", chip), std::string("generic")}) {
    if (work.find(Shelf::kKernels, name).empty()) continue;
    const doc::Value* file = work.load(Shelf::kKernels, name, tree.span, diagnostics);
    const doc::Value* launch = file ? file->find("launch") : nullptr;
    if (!launch) continue;
    doc::Value filled = *launch;
    if (const doc::Value* over = tree.find("host"); over && over->is_mapping())
      doc::merge(filled, *over);
    return doc::set(tree, "host", std::move(filled));
  }
}

void warn_of_stand_in(const doc::Value& generic, const std::string& what, const std::string& chip,
                      Span at, Diagnostics& diagnostics) {
  diagnostics.warning(at, fmt::format("no {} was measured on {}: hardware/kernels/generic.yaml "
                                      "stands in, {} off where it can be compared",
                                      what, chip, said(generic, "error")));
}

void fill_kernel(Workspace& work, const std::string& chip, const WantedKernel& wanted,
                 doc::Value& tree, Diagnostics& diagnostics) {
  const doc::Value* named = tree.find("kernels");
  const bool states_file = named && named->is_scalar() && !named->text.empty();
  const Span at = states_file ? named->span : tree.span;
  const std::string own = states_file                                ? named->text
                          : work.find(Shelf::kKernels, chip).empty() ? std::string("generic")
                                                                     : chip;
  const doc::Value* file = work.load(Shelf::kKernels, own, at, diagnostics);
  if (!file) return;
  const std::string of = said(*file, "chip");  // a name, or the file of a chip of one's own
  if (states_file && !of.empty() && std::filesystem::path(of).stem() != chip)
    diagnostics
        .warning(at, fmt::format("the constants of {} were measured on {}: on {} they are a "
                                 "guess, and their errors say nothing",
                                 own, of, chip))
        .help(fmt::format("leave kernels: out, or measure {}: reckon calibrate", chip));
  std::vector<const doc::Value*> found = candidates(*file, wanted);
  if (found.empty()) found = candidates(*file, in_fp16(wanted));
  if (found.empty() && states_file) {
    diagnostics.error(at, fmt::format("{}: no {} there", own, wanted.what))
        .help("leave kernels: out, or measure it: reckon calibrate");
    return;
  }
  if (!wanted.has_flat && (found.empty() || own == "generic")) {
    diagnostics.error(at, fmt::format("no {} was measured on {}", wanted.what, chip))
        .help("--kernels FILE names one; `reckon calibrate` writes one from measured times");
    return;
  }
  if (found.empty() || own == "generic") {
    file = work.load(Shelf::kKernels, "generic", at, diagnostics);
    if (!file) return;
    found = candidates(*file, wanted);
    if (found.empty()) {
      diagnostics.error(at, fmt::format("no {} is known", wanted.what))
          .help("state its constants: --set " + wanted.field + ".compute=70% and so on");
      return;
    }
    if (own != "generic" || !states_file)
      warn_of_stand_in(*file, wanted.what, chip, at, diagnostics);
  }
  const doc::Value* entry = choose(found, tree.find("library"), wanted, diagnostics);
  if (!entry) return;
  doc::Value filled = *entry;
  if (const doc::Value* over = tree.find(wanted.field); over && over->is_mapping())
    doc::merge(filled, *over);
  doc::set(tree, wanted.field, std::move(filled));
}

}  // namespace reckon
