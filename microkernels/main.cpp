// reckon-bench: measures what the kernels of this machine reach.
//
//   reckon-bench --backend cpu --output mine.json                # the sweep of the back end
//   reckon-bench --backend cuda --chip h100-sxm --only "gemm bf16,attention" --seconds 1 --output h100.json
//   reckon-bench --backend cuda --list                           # what it would run; needs no GPU
//
// Progress goes to stderr, the JSON to the file or to stdout. Exit: 0 measured; 1 a result was wrong; 2 said wrongly;
// 3 no such device here; 4 its driver is too old; 5 too little memory for anything that was asked.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "backends.hpp"
#include "core/measure.hpp"
#include "core/sweep.hpp"
#include "reckon/base/atomic_file.hpp"
#include "reckon/units/format.hpp"

namespace reckon::bench {
namespace {

enum Exit { kOk = 0, kWrong = 1, kUsage = 2, kNoDevice = 3, kOldDriver = 4, kNoMemory = 5 };

struct Options {
  BackendOptions backend;
  std::string sweep, only, chip, output, root = RECKON_SOURCE_DATA;
  StopRule rule;
  bool list = false;
};

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

// One line that is written over on a terminal.
void progress(std::size_t at, std::size_t of, const std::string& text) {
  if (isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r\033[K[{}/{}] {}", at, of, text);
  else
    fmt::print(stderr, "[{}/{}] {}\n", at, of, text);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32] = {};
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// Set-up of a second or more is said: --seconds doesn't bound it.
std::string summary(const Measured& m) {
  constexpr double kLong = 1;
  const Point& p = m.point;
  const double spread = (p.seconds.p90 - p.seconds.p10) / p.seconds.median;
  return fmt::format("{}: {} ±{:.1f} %  {}  ({} samples, {}){}{}", name_of(p.problem),
                     format_quantity(p.seconds.median, kSecond), 50 * spread, rate_of(p), p.samples,
                     word_of(p.stop), p.throttled ? " THROTTLED" : "",
                     m.set_up >= kLong ? ", set up in " + format_quantity(m.set_up, kSecond) : "");
}

int run(const Options& o, const std::vector<Problem>& problems, const std::string& command) {
  BackendFault fault;
  const std::unique_ptr<Backend> backend = open_backend(o.backend, fault);
  if (!backend) {
    say("reckon-bench: " + fault.text);
    return fault.old_driver ? kOldDriver : kNoDevice;
  }
  Document d;
  d.machine = backend->machine();
  d.chip = o.chip;
  d.date = today();
  d.command = command;
  std::size_t wrong = 0, too_large = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    progress(i + 1, problems.size(), name_of(problems[i]));
    Measured m = measure(*backend, problems[i], o.rule);
    wrong += m.outcome == Outcome::kWrong ? 1 : 0;
    too_large += m.outcome == Outcome::kMemory ? 1 : 0;
    if (!m.ok()) d.left_out.push_back(fmt::format("{}: {}", name_of(problems[i]), m.why));
    progress(i + 1, problems.size(), m.ok() ? summary(m) : d.left_out.back());
    if (isatty(STDERR_FILENO) != 0) say("");
    if (m.ok()) d.points.push_back(std::move(m.point));
  }
  const std::string text = write(d);
  if (o.output.empty()) {
    fmt::print("{}", text);
  } else if (const std::string why = write_atomically(o.output, text); !why.empty()) {
    say("reckon-bench: " + why);
    return kUsage;
  }
  say(fmt::format("{} measured, {} left out", d.points.size(), d.left_out.size()));
  if (wrong > 0) say(fmt::format("{} results were WRONG and are not in the file", wrong));
  if (wrong > 0) return kWrong;
  return d.points.empty() && too_large > 0 ? kNoMemory : kOk;
}

// "" or what is wrong with a number: CLI11's own words for it print the limits of a double in 300 digits.
CLI::Validator positive() {
  return {[](const std::string& text) -> std::string {
            char* end = nullptr;
            const double x = std::strtod(text.c_str(), &end);
            if (!text.empty() && *end == '\0' && std::isfinite(x) && x > 0) return "";
            return "'" + text + "' is no number above 0";
          },
          ""};
}

// More threads than cores would measure the scheduler.
CLI::Validator whole(int most, const std::string& why) {
  return {[most, why](const std::string& text) -> std::string {
            char* end = nullptr;
            const double x = std::strtod(text.c_str(), &end);
            const bool good = !text.empty() && *end == '\0' && x >= 0 && x <= most &&
                              std::abs(x - std::floor(x)) <= 0;
            return good ? ""
                        : fmt::format("'{}' is no whole number from 0 to {}{}", text, most, why);
          },
          ""};
}

// A chip that is said must be one that there is: `reckon calibrate` looks it up by that name.
bool is_chip(Workspace& work, const std::string& chip, Diagnostics& d) {
  return chip.empty() || work.load(Shelf::kChips, chip, {}, d) != nullptr;
}

int main_of(int argc, char** argv) {
  constexpr int kMostDevices = 1023;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Options o;
  CLI::App app{"Measures what the kernels of this machine reach, as JSON for `reckon calibrate`."};
  app.add_option("--backend", o.backend.name, "cpu or cuda")
      ->check(CLI::IsMember(std::vector<std::string>{"cpu", "cuda"}));
  app.add_option("--sweep", o.sweep, "file of kind: sweep; else the back end's own");
  app.add_option("--only", o.only, "words a problem's name must hold; commas between choices");
  app.add_option("--chip", o.chip, "a file in hardware/chips that this is");
  app.add_option("--output", o.output, "the JSON file; else stdout");
  app.add_option("--device", o.backend.device, "which GPU")->check(whole(kMostDevices, ""));
  app.add_option("--threads", o.backend.threads, "cpu: threads; 0 for one a core")
      ->check(whole(cores, ", the cores of this machine"));
  app.add_option("--seconds", o.rule.seconds,
                 "of sampling each problem, at most; its set-up and check come before, and the "
                 "sample that is running is finished")
      ->check(positive());
  app.add_option("--noise", o.rule.noise, "relative standard deviation to stop at")
      ->check(positive());
  app.add_option("--data", o.root, "where sweeps lie");
  app.add_flag("--list", o.list, "print what would be measured; needs no device");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  }
  if (o.sweep.empty()) o.sweep = o.root + "/microkernels/sweeps/" + o.backend.name + ".yaml";
  Workspace work({o.root});
  Diagnostics diagnostics;
  std::vector<Problem> problems;
  for (Problem& p : read_sweep(work, o.sweep, diagnostics))
    if (wanted(p, o.only)) problems.push_back(std::move(p));
  is_chip(work, o.chip, diagnostics);
  if (!o.output.empty() && is_same_file(o.output, o.sweep))
    diagnostics.error({}, fmt::format("--output {}: that is the sweep it reads", o.output));
  if (diagnostics.has_errors()) {
    fmt::print(stderr, "{}", diagnostics.render());
    return kUsage;
  }
  if (problems.empty()) {
    say(fmt::format("reckon-bench: --only {}: nothing of {} matches; --list shows the names",
                    o.only, o.sweep));
    return kUsage;
  }
  if (o.list) {
    for (const Problem& p : problems) fmt::print("{}\n", name_of(p));
    return kOk;
  }
  std::string command;
  for (int i = 1; i < argc; ++i) command += std::string(i > 1 ? " " : "") + argv[i];
  return run(o, problems, command);
}

}  // namespace
}  // namespace reckon::bench

int main(int argc, char** argv) {
  try {
    return reckon::bench::main_of(argc, argv);
  } catch (const std::exception& e) {
    reckon::bench::say(std::string("reckon-bench: ") + e.what());
    return reckon::bench::kNoDevice;
  }
}
