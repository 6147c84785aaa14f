#include "reckon/report/import.hpp"

#include <fmt/format.h>

#include "reckon/base/json.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

Table facts_table(const Imported& in) {
  Table table({{"field"}, {"value"}, {"from"}, {"by"}, {"place"}});
  for (const ImportedFact& f : in.facts) table.row({f.field, f.value, f.from, f.how, f.place});
  return table;
}

std::string head(const Imported& in) {
  return fmt::format("record {}, by {}", in.record, in.chosen_by);
}

std::string tail(const Imported& in, const char* lead, std::size_t width) {
  std::string out;
  const auto list = [&](const char* word, const std::vector<std::string>& all) {
    if (!all.empty())
      out += lead + wrap(fmt::format("{}: {}", word, join(all, ", ")), width, "  ") + "\n";
  };
  list("keys that change no cost", in.ignored);
  list("keys that nobody knows", in.unknown);
  for (const std::string& note : in.notes) out += lead + wrap("note: " + note, width, "  ") + "\n";
  return out;
}

}  // namespace

std::string import_text(const Imported& in, std::size_t width) {
  return head(in) + "\n\n" + facts_table(in).fitted(width, 1).text() + "\n" + tail(in, "", width);
}

std::string import_markdown(const Imported& in) {
  return markdown_text(head(in)) + "\n\n" + facts_table(in).markdown() + "\n" +
         markdown_text(tail(in, "- ", 1000));
}

std::string import_csv(const Imported& in) { return facts_table(in).csv(); }

std::string import_json(const Imported& in) {
  JsonWriter json;
  json.object().key("record").text(in.record).key("chosen_by").text(in.chosen_by);
  json.key("fields").array();
  for (const ImportedFact& f : in.facts)
    json.object(JsonWriter::kOneLine)
        .key("field")
        .text(f.field)
        .key("value")
        .text(f.value)
        .key("from")
        .text(f.from)
        .key("by")
        .text(f.how)
        .key("place")
        .text(f.place)
        .close();
  json.close();
  const auto list = [&](const char* key, const std::vector<std::string>& all) {
    json.key(key).array(JsonWriter::kOneLine);
    for (const std::string& word : all) json.text(word);
    json.close();
  };
  list("ignored_keys", in.ignored);
  list("unknown_keys", in.unknown);
  list("notes", in.notes);
  json.key("model").text(model_file_text(in)).close();
  return json.str() + "\n";
}

}  // namespace reckon
