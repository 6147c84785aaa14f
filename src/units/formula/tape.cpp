#include "reckon/units/formula/tape.hpp"

namespace reckon {

Traced Tape::name(Traced x, const Name& name) {
  const std::int32_t id = place(x);
  const bool fresh = node(id).name < 0;
  const bool says_more = name.formula || name.hint != Hint::kNone;
  if (!fresh && !says_more && name_of(id)->symbol == name.symbol) return x;  // called that already
  return attach(fresh ? Traced(x.v, id) : push({Op::kAlias, id, -1, -1, -1, x.v}), name);
}

Traced Tape::part(Traced x, Label label, Dim dim) {
  const std::int32_t id = place(x), n = node(id).name;
  if (n < 0) return attach(Traced(x.v, id), {.symbol = label, .part = label, .dim = dim});
  if (Name& existing = names_[static_cast<std::size_t>(n)]; node(id).op != Op::kInput) {
    if (existing.part.text.empty()) existing.part = label;
    if (existing.part == label) return x;
  }
  return attach(push({Op::kAlias, id, -1, -1, -1, x.v}),
                {.symbol = label, .part = label, .dim = dim});
}

Traced Tape::lookup(Traced x, Label key) {
  Name name = *name_of(x.id);
  name.row = key;
  return attach(push({Op::kAlias, x.id, -1, -1, -1, x.v}), name);
}

Traced Tape::choice(Op op, const std::vector<Traced>& candidates, std::size_t winner) {
  const auto first = static_cast<std::int32_t>(candidates_.size());
  for (const Traced& c : candidates) {
    const std::int32_t id = place(c);  // may grow the tape
    candidates_.push_back(id);
  }
  return push({op, first, static_cast<std::int32_t>(candidates.size()),
               static_cast<std::int32_t>(winner), -1, candidates[winner].v});
}

}  // namespace reckon
