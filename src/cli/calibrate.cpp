// reckon calibrate kernels|collectives|stack|chip MEASURED…: constants of the kernel model or a stack's ceilings from
// measured points, or the file of a chip that has none.
#include "reckon/engine/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "reckon/report/calibrate.hpp"
#include "reckon/report/calibrate_stack.hpp"

namespace reckon::cli {
namespace {

bool read_facts(const CalibrateCommand& options, FileFacts& facts, Diagnostics& d) {
  facts = {options.chip, options.kernel, options.library, options.dtype, {}};
  for (const std::string& word : options.columns) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      d.error({}, fmt::format("--column {}: expected ours=theirs", word))
          .help("for example --column \"time us=latency\"");
      return false;
    }
    facts.columns.emplace_back(word.substr(equals + 1), word.substr(0, equals));
  }
  return true;
}

std::vector<MeasuredSet> read_all(Session& session, const CalibrateCommand& options,
                                  const FileFacts& facts) {
  std::vector<MeasuredSet> all;
  for (const std::string& file : options.files) {
    std::vector<std::string> notes;
    for (MeasuredSet& s : read_measured(session.work(), file, facts, session.diagnostics(), notes))
      all.push_back(std::move(s));
    for (const std::string& n : notes) session.note(n);
  }
  return all;
}

// The file that the constants are laid onto, if one is named.
bool read_base(Session& session, const CalibrateCommand& options,
               const std::vector<MeasuredSet>& sets, std::optional<Kernels<double>>& base) {
  if (options.onto.empty() || options.what == "stack" || options.what == "chip") return true;
  Diagnostics& d = session.diagnostics();
  base = load_kernels(session.work(), options.onto, {}, d);
  const std::string measured = sets.empty() ? "" : sets.front().chip;
  if (base && base->chip != measured)
    d.error({}, fmt::format("--onto {}: a file of {}, and {} was measured", options.onto,
                            base->chip.empty() ? "any chip" : base->chip, measured));
  return !d.has_errors();
}

// `uses`: what says in a command or a plan that the file is to be used.
int write_out(Session& session, const std::string& file, const std::string& text,
              const std::string& uses) {
  Diagnostics& d = session.diagnostics();
  if (is_yaml_file(file, d)) write_file(file, text, d);
  if (session.report_faults()) return kUsage;
  session.note(fmt::format("{} is written; {} uses it", file, uses));
  return kOk;
}

// A count of chips needs the node that holds them; a chip that names none stands in one that is named.
std::string use_of_chip(const std::string& file, bool names_node) {
  return names_node ? fmt::format("--gpus 8x{0}, cluster: 8x{0} in a plan, or --chip {0}", file)
                    : fmt::format(
                          "--chip {0}, or cluster: {{node: {{base: NAME, chip: {0}}}, "
                          "nodes: 1}} in a plan",
                          file);
}

// The chip's file goes to --output or, since it is all there is to say, to stdout.
int chip_of(Session& session, const CalibrateCommand& options, const CalibrateOptions& how,
            const std::vector<MeasuredSet>& sets) {
  Diagnostics& d = session.diagnostics();
  std::string text;
  if (!options.onto.empty()) {
    text = chip_onto(session.work(), options.onto, sets, how, d);
  } else if (const auto chip = calibrate_chip(sets, how, d)) {
    text = chip_text(*chip);
  }
  if (session.report_faults() || text.empty()) return kUsage;
  const bool link = std::any_of(sets.begin(), sets.end(), [](const MeasuredSet& m) {
    return m.kernel == MeasuredKernel::kPeerCopy;
  });
  if (!options.onto.empty() && link)
    session.note(
        "a stack's network.efficiency was fitted beside the printed link: beside a measured one "
        "calibrate it anew");
  if (!options.output.empty())
    return write_out(session, options.output, text,
                     use_of_chip(options.output, text.find("usual_node:") != text.npos));
  session.print(text);
  return kOk;
}

std::string text_of(Session& session, Format format, const StackCalibration& c) {
  if (format == Format::kJson) return calibrate_stack_json(c);
  if (format == Format::kMarkdown) return calibrate_stack_markdown(c);
  if (format == Format::kCsv) return calibrate_stack_csv(c);
  return calibrate_stack_text(c, session.style());
}

int stack_of(Session& session, const Shared& shared, const CalibrateCommand& options,
             const std::vector<MeasuredSet>& sets) {
  Diagnostics& d = session.diagnostics();
  const StackCalibration c = calibrate_stack(session.work(), sets, options.onto, d);
  if (session.report_faults()) return kUsage;
  session.print(text_of(session, shared.format, c));
  if (!options.output.empty())
    return write_out(session, options.output, stack_overlay(c, options.name),
                     "stack: " + options.output);
  session.note("--output FILE writes the constants to a file of kind stack");
  return kOk;
}

void check_words(const CalibrateCommand& options, Diagnostics& d) {
  const bool collectives = options.what == "collectives", chip = options.what == "chip";
  const bool stack = options.what == "stack";
  if (!collectives && !chip && !stack && options.what != "kernels")
    d.error({}, fmt::format("calibrate: nothing is called '{}'", options.what))
        .help("kernels, collectives, stack, chip or runs");
  if (chip && !options.chip.empty())
    d.error({}, fmt::format("--chip {}: the chip's file is what is written", options.chip))
        .help("--name TEXT is what it is called");
  if (stack && options.onto.empty())
    d.error({}, "calibrate stack: onto which stack? What is not measured stays as it is there")
        .help("--onto generic-h100; `reckon list stacks` names them");
  if (!options.form.empty() && (!collectives || (options.form != "root" && options.form != "ramp")))
    d.error({}, fmt::format("--form {}: of a collective's curve, ramp or root", options.form));
}

}  // namespace

int calibrate(Session& session, const Shared& shared, const CalibrateCommand& options) {
  Diagnostics& d = session.diagnostics();
  if (options.what == "runs") return calibrate_runs(session, shared, options);
  if (!options.rows.empty()) d.error({}, "--rows is of runs").help("reckon calibrate runs STACK");
  const bool collectives = options.what == "collectives", chip = options.what == "chip";
  check_words(options, d);
  keeps_inputs(options.output, options.files, d);
  if (chip && shared.format != Format::kText)
    d.error({}, "calibrate chip: its answer is a chip's file, which is YAML")
        .help("leave --format out");
  CalibrateOptions how;
  if (options.form == "root") how.form = CurveForm::kRoot;
  FileFacts facts;
  if (!read_facts(options, facts, d) || d.has_errors()) {
    session.report_faults();
    return kUsage;
  }
  if (chip && facts.chip.empty()) facts.chip = kChipToWrite;
  const std::vector<MeasuredSet> sets = read_all(session, options, facts);
  std::optional<Kernels<double>> base;
  if (!d.has_errors()) read_base(session, options, sets, base);
  if (session.report_faults()) return kUsage;
  how.name = options.name;
  if (chip) return chip_of(session, options, how, sets);
  if (options.what == "stack") return stack_of(session, shared, options, sets);
  const Calibration c = reckon::calibrate(
      session.work(), sets, collectives ? CalibrateWhat::kCollectives : CalibrateWhat::kKernels,
      how, d);
  if (session.report_faults()) return kUsage;
  switch (shared.format) {
    case Format::kJson:
      session.print(calibrate_json(c));
      break;
    case Format::kCsv:
      session.print(calibrate_csv(c));
      break;
    case Format::kMarkdown:
      session.print(calibrate_markdown(c));
      break;
    default:
      session.print(calibrate_text(c, session.style()));
  }
  if (!c.failed.empty()) {
    for (const std::string& why : c.failed)
      d.error({}, fmt::format("no fit: {}", why))
          .help(options.output.empty()
                    ? "are those the sizes, the unit and the chip? The points and their kernel "
                      "don't go together"
                    : fmt::format("{} is not written; mend those points, or leave them out",
                                  options.output));
    session.report_faults();
    return kNo;
  }
  if (options.output.empty()) {
    session.note("--output FILE writes the constants to a file of kind kernels");
    return kOk;
  }
  return write_out(session, options.output,
                   kernels_text(base ? laid_onto(*base, c.kernels) : c.kernels),
                   "--kernels " + options.output);
}

}  // namespace reckon::cli
