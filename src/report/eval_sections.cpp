#include "eval_sections.hpp"

#include <algorithm>

#include "cell.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/text.hpp"

namespace reckon {
namespace {

bool left_out(const Metric* m) {
  const auto& patterns = left_out_of_text();
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view p) { return matches_pattern(m->id, p); });
}

struct Chapter {
  std::string_view title;
  std::vector<std::string_view> prefixes;  // of the metrics it is about
  Section (*section)(Reader&, const Canvas&);
};
const Chapter kTimes[] = {{"step", {"step."}, step_section},
                          {"communication", {"comm."}, communication_section},
                          {"throughput", {"throughput.", "mfu."}, throughput_section},
                          {"run", {"run."}, run_section}};

// The chapters whose metrics all lack a value for one reason: they share a section that says why.
class Lacking {
 public:
  explicit Lacking(Reader& r) : reader_(r) {}

  // `place`: where the first of them would stand.
  bool take(const Chapter& c, std::size_t place) {
    const auto reason = common_reason(c);
    if (!reason || (!reason_.empty() && reason_ != *reason)) return false;
    if (titles_.empty()) place_ = place;
    reason_ = *reason;
    titles_.emplace_back(c.title);
    for (const std::string_view prefix : c.prefixes) reader_.claim_all(prefix);
    // What depends on a step's time without being named after it.
    reader_.claim({"flops.per_step", "pipeline.bubble_share", "pipeline.bubble_overhead"});
    return true;
  }

  void insert_into(std::vector<Section>& sections) const {
    if (titles_.empty()) return;
    std::string title = listed(titles_);
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    const std::string note = std::string(kAbsent) + ' ' + reason_;
    sections.insert(sections.begin() + static_cast<std::ptrdiff_t>(place_),
                    {.title = title, .notes = {note}});
  }

 private:
  std::optional<std::string> common_reason(const Chapter& c) const {
    std::optional<std::string> out;
    for (const Metric& m : reader_.result().metrics) {
      const auto about = [&](std::string_view prefix) { return m.id.starts_with(prefix); };
      if (std::none_of(c.prefixes.begin(), c.prefixes.end(), about)) continue;
      const std::string reason = reason_of(m);
      if (reason.empty() || (out && *out != reason)) return std::nullopt;
      out = reason;
    }
    return out;
  }

  Reader& reader_;
  std::string reason_;
  std::size_t place_ = 0;
  std::vector<std::string> titles_;
};

// What no section has shown and nobody meant to leave out.
Section other_section(const Reader& r, const Canvas& canvas) {
  std::vector<const Metric*> rest = r.not_shown();
  rest.erase(std::remove_if(rest.begin(), rest.end(), left_out), rest.end());
  return every_metric(rest, "Other", canvas);
}

std::vector<const Metric*> all_of(const Result& result) {
  std::vector<const Metric*> out;
  for (const Metric& m : result.metrics) out.push_back(&m);
  return out;
}

}  // namespace

Section every_metric(const std::vector<const Metric*>& metrics, std::string title,
                     const Canvas& canvas) {
  Section out{.title = std::move(title),
              .table = Table({{"metric"}, {"value", Align::kRight}, {"what it is"}})};
  for (const Metric* m : metrics) {
    const std::string reason = reason_of(*m);
    out.table.row({m->id, shown(*m), reason.empty() ? m->title : m->title + ": " + reason});
  }
  if (!canvas.markdown) out.table = out.table.fitted(canvas.width - 2, 2);  // sections are indented
  return out;
}

std::vector<Section> eval_sections(Reader& r, const Canvas& canvas) {
  std::vector<Section> out{mesh_section(r, canvas),         mesh_picture_section(r, canvas),
                           memory_section(r, canvas),       memory_stages_section(r, canvas),
                           memory_curve_section(r, canvas), recompute_section(r, canvas)};
  Lacking lacking(r);
  for (const Chapter& c : kTimes) {
    if (!lacking.take(c, out.size())) out.push_back(c.section(r, canvas));
  }
  lacking.insert_into(out);
  out.push_back(schedule_section(r, canvas));
  out.push_back(collectives_section(r, canvas));
  out.push_back(fixes_section(r, canvas));
  if (!canvas.verbose) out.push_back(other_section(r, canvas));
  out.push_back(assumed_section(r, canvas));
  if (canvas.verbose) out.push_back(every_metric(all_of(r.result()), "Every metric", canvas));
  out.push_back(limits_section(r, canvas));
  return out;
}

}  // namespace reckon
