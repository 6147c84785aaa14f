#include "reckon/units/formula/reach.hpp"

#include <cstddef>

namespace reckon {
namespace {

class Marks {
 public:
  explicit Marks(const Tape& tape)
      : tape_(tape), marked_(static_cast<std::size_t>(tape.size()), false) {}

  void mark(std::int32_t i) {
    if (i >= 0) marked_[static_cast<std::size_t>(i)] = true;
  }
  bool marked(std::int32_t i) const { return marked_[static_cast<std::size_t>(i)]; }

  // Operands come before what is made of them.
  void mark_operands(std::int32_t i) {
    const Tape::Node& n = tape_.node(i);
    if (n.op == Op::kLargest || n.op == Op::kSmallest) {
      for (std::int32_t k = 0; k < n.b; ++k) mark(tape_.candidate(n, k));
      return;
    }
    mark(n.a);
    mark(n.b);
    if (n.op == Op::kSelect) mark(n.c);
  }

 private:
  const Tape& tape_;
  std::vector<bool> marked_;
};

}  // namespace

std::set<std::string_view> reached_inputs(const Tape& tape,
                                          const std::vector<std::int32_t>& roots) {
  Marks marks(tape);
  for (const std::int32_t root : roots) marks.mark(root);
  std::set<std::string_view> out;
  for (std::int32_t i = tape.size() - 1; i >= 0; --i) {
    if (!marks.marked(i)) continue;
    if (tape.node(i).op == Op::kInput)
      out.insert(tape.name_of(i)->path);
    else
      marks.mark_operands(i);
  }
  return out;
}

}  // namespace reckon
