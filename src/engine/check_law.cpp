#include "check_law.hpp"

#include <fmt/format.h>

#include "reckon/engine/kinds.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/law.hpp"
#include "text_list.hpp"

namespace reckon {
namespace {

using doc::Value;

Value question_tree(const std::string& name, Value line, Diagnostics& diagnostics) {
  Value tree = doc::mapping(line.span);
  const Value kind = doc::take(line, "question");
  doc::set(tree, "kind", kind.is_null() ? doc::scalar("scaling", line.span) : kind);
  doc::set(tree, "law", doc::scalar(name, line.span));
  const Value given = doc::take(line, "given");
  if (!given.is_mapping()) {
    diagnostics.error(line.span, "expect: the line states no question: given")
        .help("write given: {flops: 1e21 FLOP}");
    return {};
  }
  for (const doc::Entry& e : given.entries) doc::set(tree, e.key, e.value);
  Value list = doc::sequence(line.span);
  list.items.push_back(std::move(line));
  doc::set(tree, "expect", std::move(list));
  return tree;
}

}  // namespace

void write_out_law(Value& law) { write_out_list(law, "samples", "\n"); }

bool is_law(const Value& tree) {
  const Value* kind = tree.is_mapping() ? tree.find("kind") : nullptr;
  return kind && kind->is_scalar() && kind->text == shelf_info(Shelf::kLaws).kind;
}

std::vector<PlanFile> law_questions(Workspace& work, const std::string& name, const Value& tree,
                                    Diagnostics& diagnostics) {
  Value law = tree;
  doc::take(law, "kind");
  write_out_law(law);
  Law<double> bound;
  Origins origins;
  const std::size_t before = diagnostics.error_count();
  bind(law, bound, {diagnostics, origins});
  std::vector<PlanFile> out;
  if (diagnostics.error_count() > before) return out;
  if (!bound.expect.is_null() && !bound.expect.is_sequence()) {
    diagnostics.error(bound.expect.span, "expect: expected a list of lines");
    return out;
  }
  for (const Value& line : bound.expect.items) {
    if (!line.is_mapping()) {
      diagnostics.error(line.span, "expect: expected {given: …, metric: …, printed: …}");
      continue;
    }
    Value question = question_tree(name, line, diagnostics);
    if (question.is_mapping())
      out.push_back(open_plan(work, name, std::move(question), {}, diagnostics));
  }
  return out;
}

}  // namespace reckon
