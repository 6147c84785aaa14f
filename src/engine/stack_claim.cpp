#include "stack_claim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

// What says whose the constants are, and how far they were tried.
constexpr std::string_view kNotConstants[] = {"id",    "name", "source", "fitted",
                                              "chips", "rows", "range",  "software"};

bool is_constant(std::string_view name) {
  return std::find(std::begin(kNotConstants), std::end(kNotConstants), name) ==
         std::end(kNotConstants);
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (detail::is_quantity<T>) {
    return a.raw == b.raw;
  } else if constexpr (detail::Element<T>::optional) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (detail::Element<T>::list) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return same(x, y); });
  } else if constexpr (Described<T>) {
    bool out = true;
    T::fields([&](const Field&, const auto& x, const auto& y) { out = out && same(x, y); }, a, b);
    return out;
  } else {
    return a == b;
  }
}

// The paths of the fields in which two stacks differ.
class Differences {
 public:
  Differences(std::string path, StackClaim& out) : path_(std::move(path)), out_(out) {}

  template <class T>
  void operator()(const Field& f, const T& a, const T& b) const {
    if (path_.empty() && !is_constant(f.name)) return;
    const std::string path = detail::path_of(path_, f.name);
    if constexpr (detail::Element<T>::optional) {
      if (a && b) return (*this)(f, *a, *b);
      if (a.has_value() != b.has_value()) note(path);
    } else if constexpr (Described<T> && !std::is_same_v<T, StackCollectives<double>>) {
      T::fields(Differences(path, out_), a, b);
    } else {
      if (same(a, b)) return;
      if (std::is_same_v<T, bool>)
        out_.flags.push_back(path);
      else
        note(path);
    }
  }

 private:
  void note(const std::string& path) const {
    (path.starts_with("memory.") ? out_.memory : out_.altered).push_back(path);
  }

  std::string path_;
  StackClaim& out_;
};

// Where the counts and errors stand; of a stack that states none, where its first constant does.
Span place_of_claim(const Origins& origins) {
  for (const char* path : {"stack.rows", "stack.fitted", "stack.gemm.ceiling"})
    if (const auto at = origins.find(path); at != origins.end()) return at->second.span;
  return {};
}

// The name of the shipped stack that a file's text stands in; empty for any other file.
std::string shipped(const Workspace& work, const std::string& file) {
  const std::filesystem::path path(file);
  const std::string id = path.stem().string();
  const bool there = path.parent_path() == shelf_info(Shelf::kStacks).folder;
  return there && !work.find(Shelf::kStacks, id).empty() ? id : "";
}

// Against the stack as its file states it, on the plan's chip.
void compare(Workspace& work, const LoadedTraining& loaded, const std::string& claimed, Span at,
             StackClaim& out) {
  Diagnostics scratch;
  const doc::Value tree = resolve_stack(work, doc::scalar(claimed, at),
                                        loaded.resolved.at("cluster.node.chip"), scratch);
  Stack<double> stated;
  Origins origins;
  if (!scratch.has_errors()) bind(tree, stated, {scratch, origins});
  if (!scratch.has_errors())
    Stack<double>::fields(Differences("", out), stated, *loaded.plan.stack);
}

}  // namespace

StackClaim stack_claim(Workspace& work, const LoadedTraining& loaded) {
  StackClaim out;
  const Span at = place_of_claim(loaded.origins);
  if (!at) return out;
  const std::string& file = at.file->name;
  const std::string id = shipped(work, file);
  if (id.empty()) out.own = file;
  if (!id.empty()) out.core = core_runs(work, id);
  // What a plan states of its own stack, beside the constants, is of those constants.
  const bool stack_file = !id.empty() || file.ends_with(".yaml") || file.ends_with(".yml");
  if (stack_file && file != loaded.file)
    compare(work, loaded, id.empty() ? file : id, id.empty() ? Span{} : at, out);
  return out;
}

std::string altered_words(const std::vector<std::string>& altered) {
  constexpr std::size_t kShown = 3;
  if (altered.size() <= kShown + 1) return listed(altered, "and");
  return fmt::format("{} and {} more", join({altered.begin(), altered.begin() + kShown}, ", "),
                     altered.size() - kShown);
}

}  // namespace reckon
