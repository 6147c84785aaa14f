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
      : work_(work),
        chip_(text_of(chip, "id")),
        usual_(text_of(chip, "usual_stack")),
        at_(at),
        diagnostics_(diagnostics) {}

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

  // Stated in the file, or in the one it starts from. Files that start from each other are a fault of resolve_stack().
  std::vector<std::string> chips_of(const Value& stack, int below = 0) const {
    constexpr int kDeepest = 16;
    std::vector<std::string> out;
    if (const Value* chips = stack.find("chips")) {
      for (const Value& chip : chips->items) out.push_back(chip.text);
      return out;
    }
    const std::string base = text_of(&stack, "base");
    if (base.empty() || below > kDeepest) return out;
    const Value* from = work_.load(Shelf::kStacks, base, at_, diagnostics_);
    return from ? chips_of(*from, below + 1) : out;
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
    if (!usual_.empty()) return usual_;
    diagnostics_
        .error(at_, fmt::format("no software stack is known on {}",
                                chip_.empty() ? "a chip that is written out" : chip_))
        .help(fmt::format(
            "assume an efficiency: assume: {{train.mfu: 40%}}; or a stack's file of your own that "
            "is for it: {{kind: stack, base: generic-h100, chips: [{}]}}",
            chip_.empty() ? "…" : chip_));
    return {};
  }

  // What is used where the software was never measured on the chip.
  std::string stand_in(const std::string& software, const std::string& said) {
    std::string found = of_software(software);
    if (found.empty()) found = usual_;
    if (found.empty()) return usual_of_chip();
    diagnostics_.warning(
        at_, fmt::format("stack '{}' is not of {}: '{}' stands in", said, chip_, found));
    return found;
  }

  Workspace& work_;
  std::string chip_, usual_;
  Span at_;
  Diagnostics& diagnostics_;
};

// Entries of one library, one an operation.
Value curves_of(const Value& kernels, const std::string& library) {
  Value out = doc::sequence(kernels.span);
  const Value* all = kernels.find("collectives");
  if (!all) return out;
  for (const Value& entry : all->items)
    if (text_of(&entry, "library").rfind(library, 0) == 0) out.items.push_back(entry);
  return out;
}

// "NVLink3 x12": chips whose links are of one kind take each other's curves.
std::string link_kind(const Value* chip) {
  const Value* kind = chip ? chip->at("link.kind") : nullptr;
  return kind && kind->is_scalar() ? kind->text : std::string();
}

// The chip itself where its collectives were measured, else the first of the stack's chips with such links, else the
// first that was measured, with a warning.
std::string measured_chip(Workspace& work, const Value* chip, const Value& stack,
                          Diagnostics& diagnostics) {
  const std::string own = text_of(chip, "id");
  const auto measured = [&](const std::string& id) {
    return !id.empty() && !work.find(Shelf::kKernels, id).empty();
  };
  if (measured(own)) return own;
  const Value* chips = stack.find("chips");
  if (!chips) return {};
  std::string other;
  for (const Value& of : chips->items) {
    if (!measured(of.text)) continue;
    const Value* file = work.load(Shelf::kChips, of.text, of.span, diagnostics);
    if (!link_kind(chip).empty() && link_kind(file) == link_kind(chip)) return of.text;
    if (other.empty()) other = of.text;
  }
  if (!other.empty())
    diagnostics.warning(
        stack.span,
        fmt::format(
            "no collective was measured on {}: the curves of {} stand in, whose links differ; "
            "network.links scales them",
            own.empty() ? "this chip" : own, other));
  return other;
}

bool in_shelf(Span at) {
  return at && at.file->name.starts_with(std::string(shelf_info(Shelf::kStacks).folder) + "/");
}

void fill_curves(Workspace& work, Value& stack, const Value* chip, Diagnostics& diagnostics) {
  Value* said = stack.find("collectives");
  if (said && said->is_mapping() && said->find("curves")) return;
  const bool named = said && said->is_scalar();
  if (!named && !chip) return;
  const std::string library =
      said && said->is_mapping() && said->find("library") ? text_of(said, "library") : "NCCL";
  const Span at = said ? said->span : stack.span;
  const std::string own = named ? said->text : measured_chip(work, chip, stack, diagnostics);
  if (own.empty()) return;
  // What a plan names; a shipped stack's own choice is part of it.
  if (const std::string here = text_of(chip, "id");
      named && !here.empty() && own != here && !in_shelf(at))
    diagnostics.warning(
        at, fmt::format("the collectives' curves are those of {}, not of {}", own, here));
  const Value* kernels = work.load(Shelf::kKernels, own, at, diagnostics);
  if (!kernels) return;
  Value filled = doc::mapping(at);
  doc::set(filled, "id", doc::scalar(own));
  doc::set(filled, "library", doc::scalar(library));
  doc::set(filled, "curves", curves_of(*kernels, library));
  doc::set(stack, "collectives", std::move(filled));
}

// Simple's hops, which rings between nodes take.
void fill_hops(Value& stack, const Value& nccl) {
  Value* network = stack.find("network");
  if (!network || !network->is_mapping()) return;
  const std::pair<const char*, const char*> from[] = {{"base", "base.ring.simple"},
                                                      {"node_hop", "node.ring.simple"},
                                                      {"network_hop", "network.ring.simple"},
                                                      {"tree_hop", "node.tree.simple"},
                                                      {"tree_rate", "tree_share"}};
  for (const auto& [key, path] : from) {
    const Value* v = nccl.at(path);
    if (v && !network->find(key)) doc::set(*network, key, *v);
  }
}

}  // namespace

Value stack_on_chip(Workspace& work, Value said, const Value* chip, Diagnostics& diagnostics) {
  Value* name = said.is_scalar() ? &said : said.find("base");
  if (!name || !name->is_scalar()) return said;
  const std::string found = ChosenStack(work, chip, name->span, diagnostics).of(name->text);
  if (found.empty()) return doc::faulty();
  name->text = found;
  return said;
}

void lay_memory(Value& assume, const Value& stack, const Value* said, Diagnostics& diagnostics) {
  const std::pair<const char*, const char*> to[] = {{"memory.logits", "logits"},
                                                    {"memory.loss_chunks", "loss_chunks"},
                                                    {"memory.reserve_fixed", "reserve.fixed"},
                                                    {"memory.reserve_share", "reserve.share"}};
  for (const auto& [from, path] : to) {
    const Value* v = stack.at(from);
    if (v && !(said && said->is_mapping() && said->at(path)))
      doc::set_path(assume, path, *v, diagnostics);
  }
}

void fill_collectives(Workspace& work, Value& stack, const Value* chip, Diagnostics& diagnostics) {
  fill_curves(work, stack, chip, diagnostics);
  Value* said = stack.find("nccl");
  const std::string name = said && said->is_scalar() ? said->text : "nccl-2.30";
  const Span at = said ? said->span : stack.span;
  const bool written_out = said && said->is_mapping();
  const Value* nccl = written_out ? said : work.load(Shelf::kNccl, name, at, diagnostics);
  if (!nccl) return;
  const Value model = *nccl;
  fill_hops(stack, model);
  if (text_of(&stack, "tier") == "nccl") return doc::set(stack, "nccl", model);
  std::erase_if(stack.entries, [](const doc::Entry& e) { return e.key == "nccl"; });
}

}  // namespace reckon
