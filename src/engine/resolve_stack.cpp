#include "resolve_stack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

using doc::Value;

std::string text_of(const Value* v, std::string_view key) {
  const Value* found = v ? v->find(key) : nullptr;
  return found && found->is_scalar() ? found->text : std::string();
}

class ChosenStack {
 public:
  ChosenStack(Workspace& work, const Value* chip, Span at, Diagnostics& diagnostics)
      : work_(work), chip_(text_of(chip, "id")), at_(at), diagnostics_(diagnostics) {}

  // The name of a file, or empty after a fault.
  std::string of(const std::string& word) {
    if (word == "default") return usual_of_chip();
    if (!work_.find(Shelf::kStacks, word, at_.file ? at_.file->name : "").empty()) {
      const Value* file = work_.load(Shelf::kStacks, word, at_, diagnostics_);
      if (!file || holds_on(*file)) return word;
      return stand_in(text_of(file, "software"), word);
    }
    const std::string same = of_software(word);
    if (!same.empty()) return same;
    return known_software(word) ? stand_in(word, word) : word;
  }

 private:
  bool holds_on(const Value& stack) const {
    if (chip_.empty()) return true;
    const std::vector<std::string> chips = chips_of(stack);
    return chips.empty() || std::find(chips.begin(), chips.end(), chip_) != chips.end();
  }

  // Stated in the file, or in the one it starts from.
  std::vector<std::string> chips_of(const Value& stack) const {
    std::vector<std::string> out;
    if (const Value* chips = stack.find("chips")) {
      for (const Value& chip : chips->items) out.push_back(chip.text);
      return out;
    }
    const std::string base = text_of(&stack, "base");
    if (base.empty()) return out;
    const Value* from = work_.load(Shelf::kStacks, base, at_, diagnostics_);
    return from ? chips_of(*from) : out;
  }

  std::string of_software(const std::string& software) {
    if (software.empty()) return {};
    for (const std::string& id : work_.ids(Shelf::kStacks)) {
      const Value* file = work_.load(Shelf::kStacks, id, at_, diagnostics_);
      if (file && text_of(file, "software") == software && holds_on(*file)) return id;
    }
    return {};
  }
  bool known_software(const std::string& software) {
    for (const std::string& id : work_.ids(Shelf::kStacks)) {
      const Value* file = work_.load(Shelf::kStacks, id, at_, diagnostics_);
      if (file && text_of(file, "software") == software) return true;
    }
    return false;
  }

  std::string usual_of_chip() {
    const std::string usual = of_software("generic");
    if (!usual.empty() && !chip_.empty()) return usual;
    diagnostics_
        .error(at_, fmt::format("no software stack is known on {}",
                                chip_.empty() ? "a chip that is written out" : chip_))
        .help("name one (`reckon list stacks`), or assume an efficiency: assume: {train.mfu: 40%}");
    return {};
  }

  // What is used where the software was never measured on the chip.
  std::string stand_in(const std::string& software, const std::string& said) {
    std::string found = of_software(software);
    if (found.empty()) found = usual_of_chip();
    if (found.empty()) return {};
    diagnostics_.warning(
        at_, fmt::format("stack '{}' is not of {}: '{}' stands in", said, chip_, found));
    return found;
  }

  Workspace& work_;
  std::string chip_;
  Span at_;
  Diagnostics& diagnostics_;
};

}  // namespace

Value stack_on_chip(Workspace& work, Value said, const Value* chip, Diagnostics& diagnostics) {
  Value* name = said.is_scalar() ? &said : said.find("base");
  if (!name || !name->is_scalar()) return said;
  const std::string found = ChosenStack(work, chip, name->span, diagnostics).of(name->text);
  if (found.empty()) return doc::faulty();
  name->text = found;
  return said;
}

void without_shelf_keys(Value& stack) {
  std::erase_if(stack.entries,
                [](const doc::Entry& e) { return e.key == "software" || e.key == "chips"; });
}

}  // namespace reckon
