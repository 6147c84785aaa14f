#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace reckon::bench {
namespace {

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

void add_what(CLI::App& app, Options& o) {
  constexpr int kMostDevices = 1023;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option("--backend", o.backend.name, "cpu or cuda")
      ->check(CLI::IsMember(std::vector<std::string>{"cpu", "cuda"}));
  app.add_option("--sweep", o.sweep, "file of kind: sweep; else the back end's own");
  app.add_option("--only", o.only, "words a problem's name must hold; commas between choices");
  app.add_option("--chip", o.chip, "a file in hardware/chips that this is");
  app.add_option("--output", o.output, "the JSON file; else stdout");
  app.add_option("--device", o.backend.device, "which GPU")->check(whole(kMostDevices, ""));
  app.add_option("--threads", o.backend.threads, "cpu: threads; 0 for one a core")
      ->check(whole(cores, ", the cores of this machine"));
  app.add_option("--data", o.root, "where sweeps and aims lie");
  app.add_flag("--list", o.list, "print what would be measured; needs no device");
}

void add_rules(CLI::App& app, Options& o) {
  app.add_option("--seconds", o.rules.sampling.seconds,
                 "of sampling each problem, at most; its set-up and check come before, and the "
                 "sample that is running is finished")
      ->check(positive());
  app.add_option("--noise", o.rules.sampling.noise, "relative standard deviation to stop at")
      ->check(positive());
  app.add_option("--within", o.rules.within,
                 "seconds after which no further problem is begun; else all are measured")
      ->check(positive());
  app.add_option("--patience", o.rules.patience,
                 "seconds after which a problem hangs: it is left out, what was measured is kept, "
                 "and the programme ends with 6")
      ->check(positive());
  app.add_flag("--resume", o.resume,
               "keep --output up to date after every problem, and go on from what it holds");
}

void add_aims(CLI::App& app, Options& o) {
  app.add_option("--report", o.report,
                 "measure nothing: hold the points of this JSON file against the aims");
  app.add_option("--aims", o.aims, "file of kind: aims; else the back end's own");
  app.add_flag("--strict", o.strict, "end with 1 unless every aim is reached");
}

// "" or what was said that does nothing here.
std::string contradicts(const CLI::App& app, const Options& o) {
  const bool cuda = o.backend.name == "cuda";
  if (o.resume && o.output.empty())
    return "--resume: which file? --output FILE.json is kept and gone on from";
  if (!cuda && app.count("--device") > 0)
    return "--device: which GPU it is, and the back end is cpu: --backend cuda, or leave it out";
  if (cuda && app.count("--threads") > 0)
    return "--threads: of the back end cpu, and this is cuda: leave it out";
  return "";
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& o) {
  constexpr double kPatience = 300, kWarm = 0.05;
  o.root = RECKON_SOURCE_DATA;
  o.rules.patience = kPatience;
  o.rules.sampling.warm_seconds = kWarm;
  CLI::App app{"Measures what the kernels of this machine reach, as JSON for `reckon calibrate`."};
  add_what(app, o);
  add_rules(app, o);
  add_aims(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  }
  if (const std::string why = contradicts(app, o); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return kUsage;
  }
  return {};
}

}  // namespace reckon::bench
