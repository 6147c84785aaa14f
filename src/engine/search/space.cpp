#include "reckon/engine/space.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "reckon/doc/bind.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

// A file beside the space, or a plan that stands in it.
doc::Value plan_of(Workspace& work, const std::string& space, const doc::Value& said,
                   std::string& name, Diagnostics& diagnostics) {
  if (said.is_mapping()) {
    name = space;
    return said;
  }
  if (!said.is_scalar()) {
    diagnostics.error(said.span, "plan: expected a file's name or a plan");
    return doc::faulty();
  }
  const std::filesystem::path beside = std::filesystem::path(space).parent_path() / said.text;
  std::error_code error;
  name = std::filesystem::exists(beside, error) ? beside.lexically_normal().string() : said.text;
  return work.read(name, said.span, diagnostics);
}

std::vector<std::string> values_of(const doc::Value& v, Diagnostics& diagnostics) {
  if (v.is_scalar()) return read_values(v.text, v.span, diagnostics);
  std::vector<std::string> out;
  for (const doc::Value& item : v.items) {
    if (item.is_scalar())
      out.push_back(item.text);
    else
      diagnostics.error(item.span, "vary: expected values")
          .help("write {cluster.nodes: [8, 16]}, or 8..64:x2");
  }
  return out;
}

void read_axes(const doc::Value& vary, Diagnostics& diagnostics, std::vector<Axis>& out) {
  if (vary.is_null()) return;
  if (!vary.is_mapping()) {
    diagnostics.error(vary.span, "vary: expected fields and their values")
        .help("write {cluster.nodes: 8..64:x2}");
    return;
  }
  for (const doc::Entry& e : vary.entries) {
    Axis axis{e.key, values_of(e.value, diagnostics), e.key_span};
    if (!axis.values.empty()) out.push_back(std::move(axis));
  }
}

}  // namespace

bool is_space(const doc::Value& tree) {
  const doc::Value* kind = tree.is_mapping() ? tree.find("kind") : nullptr;
  return kind && kind->is_scalar() && kind->text == "space";
}

bool read_space(Workspace& work, const std::string& name, doc::Value tree, const Sets& sets,
                Diagnostics& diagnostics, OpenSpace& out) {
  const std::size_t before = diagnostics.error_count();
  doc::take(tree, "kind");
  doc::expand_dotted_keys(tree, diagnostics, {"plan", "vary"});
  Origins origins;
  bind(tree, out.space, {diagnostics, origins});
  if (diagnostics.error_count() > before) return false;
  std::string plan;
  doc::Value plan_tree = plan_of(work, name, out.space.plan, plan, diagnostics);
  if (diagnostics.error_count() > before) return false;
  out.file = open_plan(work, plan, std::move(plan_tree), sets, diagnostics);
  read_axes(out.space.vary, diagnostics, out.axes);
  for (const std::string& word : out.space.limits.where) {
    Goal goal;
    if (read_goal(word, "where", work.sources(), diagnostics, goal))
      out.where.push_back(std::move(goal));
  }
  return diagnostics.error_count() == before;
}

}  // namespace reckon
