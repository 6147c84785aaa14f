// Memory per GPU: its parts against the capacity.
#include <fmt/format.h>

#include "breakdown.hpp"
#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::string_view kParts[] = {"memory.weights",     "memory.gradients", "memory.optimizer",
                                       "memory.activations", "memory.logits",    "memory.buffers",
                                       "memory.reserve"};

std::string title(Reader& r) {
  const std::string capacity = r.text("memory.capacity"), counted = r.assumed("capacity");
  if (capacity.empty()) return "Memory per GPU";
  return fmt::format("Memory per GPU, of {}{}", capacity,
                     counted.empty() ? "" : fmt::format(" (capacity: {})", counted));
}

// A part that can't be given keeps its line; one that is zero has none.
Absences add_parts(Reader& r, Breakdown& out) {
  Absences absences;
  for (const std::string_view id : kParts) {
    const Metric* m = r.get(id);
    if (!m) continue;
    if (const std::string reason = reason_of(*m); !reason.empty()) {
      out.line(m->title, shown(*m));
      absences.add(m->title, reason);
    } else if (m->value != 0) {
      out.part(m->title, shown(*m), m->value);
    }
  }
  return absences;
}

void add_headroom(Reader& r, double capacity, Breakdown& out) {
  const auto headroom = r.number("memory.headroom");
  if (!headroom) return;
  const std::string verdict = r.text("memory.verdict"), tight = r.assumed("tight");
  const bool says_how_tight = verdict == "tight" && !tight.empty();
  out.line("headroom", r.text("memory.headroom"), Breakdown::share(*headroom, capacity),
           says_how_tight ? fmt::format("tight: below {}", tight) : verdict);
}

// Where the recipe keeps classes of tensors in formats of their own: "input table 1 GB, …".
void add_classes(Reader& r, std::vector<std::string>& notes) {
  constexpr std::string_view kPrefix = "memory.weights.";
  std::vector<std::string> parts;
  for (const Metric& m : r.result().metrics) {
    if (!m.id.starts_with(kPrefix) || !m.has_value()) continue;
    const std::size_t colon = m.title.find(": ");
    parts.push_back(fmt::format("{} {}", m.title.substr(colon + 2), shown(m)));
  }
  r.claim_all(kPrefix);
  if (!parts.empty()) notes.push_back(fmt::format("Weights by class: {}.", join(parts, ", ")));
}

void add_notes(Reader& r, std::vector<std::string>& notes) {
  add_classes(r, notes);
  if (r.number("memory.states"))
    notes.push_back(fmt::format("Training state {}: {} here, {} unsharded.",
                                r.text("memory.states"), r.text("memory.bytes_per_param_gpu"),
                                r.text("memory.bytes_per_param")));
  if (r.number("pipeline.in_flight").value_or(1) != 1)
    notes.push_back(fmt::format("The heaviest stage holds the activations of {} micro-batches.",
                                r.text("pipeline.in_flight")));
  notes.insert(notes.end(), r.result().memory_notes.begin(), r.result().memory_notes.end());
  if (r.number("memory.host").value_or(0) != 0)
    notes.push_back(
        fmt::format("Host memory per GPU: {}{}; {} in a node.", r.text("memory.host"),
                    r.number("memory.host_capacity") ? " of " + r.text("memory.host_capacity") : "",
                    r.text("memory.host_node")));
}

}  // namespace

Section memory_section(Reader& r, const Canvas& canvas) {
  r.claim({"memory.states", "memory.bytes_per_param", "memory.bytes_per_param_gpu", "memory.host",
           "memory.host_capacity", "memory.host_node", "pipeline.in_flight"});
  r.claim_all("memory.host.");
  const auto total = r.number("memory.total"), capacity = r.number("memory.capacity");
  if (!total) {
    const Metric* m = r.result().find("memory.total");
    r.claim_all("memory.");
    return m ? Section{.title = "Memory per GPU",
                       .notes = {std::string(kAbsent) + ' ' + reason_of(*m)}}
             : Section{};
  }
  Breakdown out(canvas, capacity.value_or(*total));
  const Absences absences = add_parts(r, out);
  Section section{.title = title(r)};
  absences.append_to(section.notes);
  out.total(section.notes.empty() ? "total" : "total of what is known", r.text("memory.total"),
            *total);
  add_headroom(r, capacity.value_or(0), out);
  section.table = out.table();
  add_notes(r, section.notes);
  return section;
}

}  // namespace reckon
