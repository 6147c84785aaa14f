// reckon fit DATA.csv: a scaling law from your own runs.
#include "reckon/engine/fit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "commands.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/fit.hpp"
#include "reckon/units/parse.hpp"

namespace reckon::cli {
namespace {

// A bar on a terminal's stderr; nothing elsewhere.
class Progress {
 public:
  Progress() : shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (drawn_ > 0) write_err("\r\x1b[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(const char* stage, std::size_t done, std::size_t of) {
    constexpr std::size_t kWidth = 40;
    if (!shown_ || of == 0) return;
    const std::size_t filled = done * kWidth / of + 1;
    if (filled == drawn_ && done != of) return;
    drawn_ = filled;
    write_err(fmt::format("\r{:<10} [{}{}] {}/{}", stage, std::string(filled - 1, '#'),
                          std::string(kWidth - (filled - 1), '.'), done, of));
  }

 private:
  bool shown_;
  std::size_t drawn_ = 0;
};

void read_columns(const std::vector<std::string>& words, FitRequest& to, Diagnostics& d) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const bool known = key == "params" || key == "tokens" || key == "flops" || key == "loss";
    if (equals == word.npos || equals + 1 == word.size() || !known)
      d.error({},
              fmt::format("--columns {}: expected params, tokens, flops or loss, and its column",
                          printable(word)))
          .help("--columns 'params=Model Size' --columns loss=final");
    else
      to.columns[key] = word.substr(equals + 1);
  }
}

// A whole number of an option, within bounds.
bool read_whole(const std::string& word, const char* flag, double least, double most,
                Diagnostics& d, std::size_t& out) {
  if (word.empty()) return true;
  const bool digits = word.size() <= 12 && word.find_first_not_of("0123456789") == word.npos;
  const double x = digits ? std::stod(word) : -1;
  if (!digits || x < least || x > most) {
    d.error({}, fmt::format("{} {}: expected a whole number from {:.0f} to {:.0f}", flag,
                            printable(word), least, most));
    return false;
  }
  out = static_cast<std::size_t>(x);
  return true;
}

bool read_real(const std::string& word, const char* flag, Diagnostics& d, double& out) {
  const auto parsed = parse_quantity(word, kOne, Hint::kRatio);
  const double* x = std::get_if<double>(&parsed);
  if (!x || !(*x > 0)) {
    d.error({}, fmt::format("{} {}: expected a number above 0", flag, printable(word)));
    return false;
  }
  out = *x;
  return true;
}

FitRequest request_of(const FitCommandOptions& o, Diagnostics& d) {
  FitRequest q;
  q.file = o.data;
  q.name = o.name;
  read_columns(o.columns, q, d);
  if (o.approach == "isoflop")
    q.approach = FitApproach::kIsoflop;
  else if (o.approach != "loss")
    d.error({}, fmt::format("--approach {}: expected loss or isoflop", printable(o.approach)))
        .help(
            "loss fits E, A, B, α and β at once; isoflop fits parabolas to runs of equal compute");
  read_whole(o.drop_highest, "--drop-highest", 0, 1e9, d, q.drop_highest);
  read_whole(o.starts, "--starts", 1, 4500, d, q.starts);
  read_whole(o.bootstrap, "--bootstrap", 0, 1e6, d, q.bootstrap);
  std::size_t seed = q.seed, threads = std::max(1U, std::thread::hardware_concurrency());
  read_whole(o.seed, "--seed", 0, 1e12, d, seed);
  read_whole(o.threads, "--threads", 1, 1024, d, threads);
  q.seed = seed;
  q.threads = static_cast<unsigned>(threads);
  double x = 0;
  if (!o.drop_above.empty() && read_real(o.drop_above, "--drop-above", d, x)) q.drop_above = x;
  if (!o.delta.empty() && read_real(o.delta, "--delta", d, x)) q.delta = x;
  if (q.approach == FitApproach::kIsoflop && (!o.delta.empty() || !o.starts.empty()))
    d.error({}, "--delta and --starts are of the approach loss").help("leave them out");
  return q;
}

}  // namespace

int fit(Session& session, const Shared& shared, const FitCommandOptions& options) {
  Diagnostics& d = session.diagnostics();
  FitRequest request = request_of(options, d);
  keeps_inputs(options.output, {options.data}, d);
  if (session.report_faults()) return kUsage;
  std::optional<FitReport> report;
  {
    Progress bar;
    request.progress = [&bar](const char* stage, std::size_t done, std::size_t of) {
      bar(stage, done, of);
    };
    report = fit_law(session.work(), request, d);
  }
  if (session.report_faults() || !report) return kUsage;
  if (!options.output.empty() &&
      !(is_yaml_file(options.output, d) && write_file(options.output, report->law, d))) {
    session.report_faults();
    return kUsage;
  }
  switch (shared.format) {
    case Format::kText:
      session.print(options.as_law ? report->law
                                   : fit_text(*report, options.residuals, session.style()));
      break;
    case Format::kJson:
      session.print(fit_json(*report, options.residuals));
      break;
    case Format::kCsv:
      session.print(fit_csv(*report, options.residuals));
      break;
    case Format::kMarkdown:
      session.print(fit_markdown(*report, options.residuals));
      break;
  }
  if (!options.output.empty())
    session.note(fmt::format(
        "law written to {}: reckon scaling --law {} …", options.output,
        options.output.find('/') == std::string::npos ? "./" + options.output : options.output));
  return kOk;
}

}  // namespace reckon::cli
