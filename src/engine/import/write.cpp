// The file of models/ that says what was imported.
#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/engine/import.hpp"

namespace reckon {
namespace {

using doc::Value;

// A part that several groups have is written once, under a mark (&local), and then by it (*local).
class Parts {
 public:
  explicit Parts(const Value& layers) {
    for (const Value& g : layers.items)
      for (const char* key : {"mixer", "mlp"})
        if (const Value* v = g.find(key)) count(*v, key);
    for (Part& p : parts_)
      if (p.times > 1) p.mark = unique(p);
  }

  std::string text(const Value& v, std::size_t indent) {
    Part& p = *std::find_if(parts_.begin(), parts_.end(),
                            [&](const Part& x) { return doc::same(*x.value, v); });
    if (p.written) return "*" + p.mark;
    p.written = !p.mark.empty();
    const std::string lead = p.mark.empty() ? "" : "&" + p.mark + " ";
    return lead + flow(v, indent + lead.size());
  }

  // Whether a mark, or {kind: none}, is all there is to say of it.
  bool is_short(const Value& v) const {
    const auto p = std::find_if(parts_.begin(), parts_.end(),
                                [&](const Part& x) { return doc::same(*x.value, v); });
    return p->written || v.entries.size() == 1;
  }

  // {kind: attention, heads: 32, …}, broken where a line is full.
  static std::string flow(const Value& v, std::size_t indent) {
    std::vector<std::string> parts;
    for (const doc::Entry& e : v.entries) {
      std::string one = doc::write_yaml(e.value);
      one.pop_back();
      parts.push_back(e.key + ": " + one);
    }
    std::string out = "{";
    std::size_t used = indent + 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string word = parts[i] + (i + 1 < parts.size() ? "," : "}");
      if (used + word.size() + 1 > 98 && used > indent + 1) {
        out += "\n" + std::string(indent + 1, ' ');
        used = indent + 1;
      } else if (i > 0) {
        out += " ";
        ++used;
      }
      out += word;
      used += word.size();
    }
    return parts.empty() ? "{}" : out;
  }

 private:
  struct Part {
    const Value* value;
    std::string key, mark = {};
    int times = 1;
    bool written = false;
  };

  void count(const Value& v, const char* key) {
    const Value* kind = v.find("kind");
    if (v.entries.size() == 1 && kind && kind->text == "none") {
      parts_.push_back({&v, key});
      return;
    }
    for (Part& p : parts_)
      if (doc::same(*p.value, v)) {
        ++p.times;
        return;
      }
    parts_.push_back({&v, key});
  }

  // "attention", "windowed", "moe", with a number where that is taken.
  std::string unique(const Part& p) const {
    const Value* kind = p.value->find("kind");
    const std::string word = p.value->find("window") ? "windowed" : kind->text;
    for (int n = 1;; ++n) {
      const std::string mark = n == 1 ? word : fmt::format("{}{}", word, n);
      if (std::none_of(parts_.begin(), parts_.end(), [&](const Part& x) { return x.mark == mark; }))
        return mark;
    }
  }

  std::vector<Part> parts_;
};

std::string layers_text(const Value& layers) {
  std::string out = "layers:\n";
  Parts parts(layers);
  for (const Value& g : layers.items) {
    if (!g.find("stored") && parts.is_short(*g.find("mixer")) && parts.is_short(*g.find("mlp"))) {
      out += fmt::format("  - {{count: {}, mixer: {}, mlp: {}}}\n", g.find("count")->text,
                         parts.text(*g.find("mixer"), 0), parts.text(*g.find("mlp"), 0));
      continue;
    }
    out += fmt::format("  - count: {}\n", g.find("count")->text);
    out += fmt::format("    mixer: {}\n", parts.text(*g.find("mixer"), 11));
    out += fmt::format("    mlp: {}\n", parts.text(*g.find("mlp"), 9));
    if (const Value* stored = g.find("stored"))
      out += fmt::format("    stored: {}\n", Parts::flow(*stored, 12));
  }
  return out;
}

// A mapping with mappings inside, each on a line of its own.
std::string mapping_text(const std::string& key, const Value& v) {
  const bool nested = std::any_of(v.entries.begin(), v.entries.end(), [](const doc::Entry& e) {
    return e.value.is_mapping() || e.value.is_sequence();
  });
  if (!nested) return fmt::format("{}: {}\n", key, Parts::flow(v, key.size() + 2));
  std::string out = key + ":\n";
  for (const doc::Entry& e : v.entries) {
    if (e.value.is_mapping()) {
      out += fmt::format("  {}: {}\n", e.key, Parts::flow(e.value, e.key.size() + 4));
    } else if (e.value.is_sequence() && !e.value.items.empty() && e.value.items[0].is_mapping()) {
      out += fmt::format("  {}:\n", e.key);
      for (const Value& i : e.value.items) out += fmt::format("    - {}\n", Parts::flow(i, 6));
    } else if (e.value.is_sequence()) {
      std::vector<std::string> items;
      for (const Value& i : e.value.items) items.push_back(i.text);
      out += fmt::format("  {}: [{}]\n", e.key, join(items, ", "));
    } else {
      out += fmt::format("  {}: {}", e.key, doc::write_yaml(e.value));
    }
  }
  return out;
}

std::string comment_of(const Imported& in) {
  std::string out;
  for (std::string note : in.notes) {
    if (note[0] >= 'a' && note[0] <= 'z') note[0] = static_cast<char>(note[0] - 'a' + 'A');
    out += "# " + wrap(note + ".", 96, "# ") + "\n";
  }
  return out;
}

}  // namespace

std::string model_file_text(const Imported& in) {
  std::string out = comment_of(in) + "kind: model\n";
  for (const doc::Entry& e : in.model.entries) {
    if (e.key == "layers") {
      out += layers_text(e.value);
    } else if (e.value.is_mapping()) {
      out += mapping_text(e.key, e.value);
    } else {
      Value plain = e.value;
      plain.quoted = false;
      out += fmt::format("{}: {}", e.key, doc::write_yaml(plain));
    }
  }
  return out;
}

}  // namespace reckon
