#include "reckon/engine/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "reckon/cost/files.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

double value(const Count<double>& n) { return value_of(n.raw); }
double value(const Bytes<double>& n) { return value_of(n.raw); }

struct TermName {
  const char *id, *name;
};
constexpr TermName kTerms[] = {{"main", "parameters"},
                               {"tied_copy", "tied head, stored a second time"},
                               {"mtp", "modules for further tokens"},
                               {"mtp_copies", "their copies of embedding and head"},
                               {"vision", "vision tower and projector"},
                               {"buffers", "buffers"}};
static_assert(std::size(kTerms) == kFileParts);
constexpr TermName kScales{"scales", "scales of blocks"};
constexpr TermName kMtpScales{"mtp_scales", "scales of those modules"};
constexpr TermName kPacked{"packed", "codes narrower than a byte, counted by the byte"};

// Adds up what the walk over the files meets.
class Terms {
 public:
  explicit Terms(const Model<double>& model) : model_(model) {
    out_.stated = model.files.has_value();
    for_each_stored(model, [this](const StoredTensor<double>& t) { add(t); });
  }

  StoredReport report() {
    std::erase_if(out_.terms, [](const StoredTerm& t) { return t.elements == 0; });
    for (const StoredTerm& t : out_.terms) {
      if (!t.held) continue;
      out_.elements += t.elements;
      out_.bytes += t.bytes;
    }
    return std::move(out_);
  }

 private:
  void add(const StoredTensor<double>& t) {
    const bool held = in_files(model_, t.part);
    const bool module = t.part == FilePart::kMtp || t.part == FilePart::kMtpCopies;
    const bool buffer = t.part == FilePart::kBuffers;
    const TermName& name = kTerms[static_cast<std::size_t>(t.part)];
    const double element =
        t.format ? value(t.format->scales ? t.format->scales->element : t.format->size) : 0;
    const double n = value(t.elements);
    add({name.id, buffer ? t.name : name.name, n, n * element, held});
    if (t.format && held) format(t.format->name, n, n * element);
    if (!t.format || !t.format->scales) return;
    const double scales = value(t.scales), size = value(t.format->scales->size);
    const TermName& of = module ? kMtpScales : kScales;
    add({of.id, of.name, scales, scales * size, held});
    if (held) format(t.format->scales->format, scales, scales * size);
    if (element < 1) add({kPacked.id, kPacked.name, -n * (1 - element), 0, false});
  }

  void add(StoredTerm term) {
    const auto same = [&](const StoredTerm& t) { return t.id == term.id && t.name == term.name; };
    const auto at = std::find_if(out_.terms.begin(), out_.terms.end(), same);
    if (at == out_.terms.end()) return out_.terms.push_back(std::move(term));
    at->elements += term.elements;
    at->bytes += term.bytes;
  }

  void format(const std::string& name, double elements, double bytes) {
    const auto same = [&](const StoredFormat& f) { return f.name == name; };
    const auto at = std::find_if(out_.formats.begin(), out_.formats.end(), same);
    if (at == out_.formats.end()) return out_.formats.push_back({name, elements, bytes});
    at->elements += elements;
    at->bytes += bytes;
  }

  const Model<double>& model_;
  StoredReport out_;
};

double count(const std::string& text) {
  const auto parsed = parse_quantity(text, kOne, Hint::kParams);
  const double* x = std::get_if<double>(&parsed);
  return x ? *x : 0;
}

// "174.6B" -> 0.1B: what its last digit counts.
double last_digit(const std::string& printed) {
  const std::size_t end = std::min(printed.find_first_not_of("0123456789.,"), printed.size());
  const std::size_t point = std::min(printed.find('.'), end);
  const std::size_t decimals = point < end ? end - point - 1 : 0;
  return count("1" + printed.substr(end)) * std::pow(10, -static_cast<double>(decimals));
}

// A choice of terms, as bits; the parameters are in all of them.
using Choice = unsigned;

class Search {
 public:
  Search(const std::vector<StoredTerm>& terms, std::string published)
      : terms_(terms), published_(std::move(published)) {}

  PublishedTotal run() const {
    Choice held = 0, held_without_scales = 0;
    for (std::size_t i = 1; i < terms_.size(); ++i) {
      if (!terms_[i].held) continue;
      held |= 1u << i;
      if (!is(i, kScales.id) && !is(i, kMtpScales.id)) held_without_scales |= 1u << i;
    }
    for (const Choice c : {Choice{0}, held, held_without_scales})
      if (meets(c)) return told(c, PublishedVerdict::kMatch);
    std::optional<Choice> fewest;
    Choice nearest = held;
    for (Choice c = 0; c < 1u << terms_.size(); ++c) {
      if (!possible(c)) continue;
      if (meets(c) && (!fewest || size(c) < size(*fewest))) fewest = c;
      if (off(c) < off(nearest)) nearest = c;
    }
    if (fewest) return told(*fewest, PublishedVerdict::kExplained);
    return told(nearest, PublishedVerdict::kUnexplained);
  }

 private:
  bool is(std::size_t i, std::string_view id) const { return terms_[i].id == id; }
  bool has(Choice c, std::string_view id) const {
    for (std::size_t i = 1; i < terms_.size(); ++i)
      if (c >> i & 1 && is(i, id)) return true;
    return false;
  }
  // Copies come with their modules; a reader that counts scales counts all of them.
  bool possible(Choice c) const {
    if (c & 1) return false;
    const bool mtp = has(c, "mtp"), scales = has(c, kScales.id);
    if (has(c, "mtp_copies") && !mtp) return false;
    const bool module_scales = std::any_of(
        terms_.begin(), terms_.end(), [](const StoredTerm& t) { return t.id == kMtpScales.id; });
    return !module_scales || has(c, kMtpScales.id) == (mtp && scales);
  }
  double total(Choice c) const {
    double n = terms_.front().elements;
    for (std::size_t i = 1; i < terms_.size(); ++i)
      if (c >> i & 1) n += terms_[i].elements;
    return n;
  }
  bool meets(Choice c) const { return rounds_to(total(c), published_); }
  double off(Choice c) const { return std::abs(count(published_) - total(c)); }
  static int size(Choice c) { return c ? static_cast<int>(c & 1) + size(c >> 1) : 0; }

  PublishedTotal told(Choice c, PublishedVerdict verdict) const {
    PublishedTotal out{verdict, published_, {terms_.front().name}, total(c), 0};
    for (std::size_t i = 1; i < terms_.size(); ++i)
      if (c >> i & 1) out.terms.push_back(terms_[i].name);
    out.remainder = count(published_) - out.computed;
    return out;
  }

  const std::vector<StoredTerm>& terms_;
  std::string published_;
};

constexpr std::size_t kMostTerms = 16;  // of which 2^16 combinations are looked at

}  // namespace

bool rounds_to(double exact, const std::string& printed) {
  return std::abs(exact - count(printed)) <= 0.5 * last_digit(printed);
}

StoredReport stored_report(const Model<double>& model) { return Terms(model).report(); }

PublishedTotal explain_published(const StoredReport& stored, const std::string& published,
                                 Diagnostics& diagnostics) {
  const auto parsed = parse_quantity(published, kOne, Hint::kParams);
  if (const auto* e = std::get_if<ParseError>(&parsed)) {
    diagnostics.error({}, fmt::format("--published: {}", e->message)).help(e->help);
    return {};
  }
  if (stored.terms.empty() || stored.terms.size() > kMostTerms) {
    diagnostics.error({}, fmt::format("--published: the model has {} terms; at most {} are tried",
                                      stored.terms.size(), kMostTerms));
    return {};
  }
  return Search(stored.terms, published).run();
}

}  // namespace reckon
