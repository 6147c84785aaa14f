// reckon-bench: measures what the kernels of this machine reach.
//
//   reckon-bench --backend cpu --output mine.json                # the sweep of the back end
//   reckon-bench --backend cuda --chip h100-sxm --only "gemm bf16,attention" --seconds 1 --output h100.json
//   reckon-bench --backend cuda --list                           # what it would run; needs no GPU
//   reckon-bench --report h100.json --strict                     # own kernels against the library, of an earlier file
//
// Progress goes to stderr, the JSON to the file or to stdout, and own kernels against the library to stderr after it.
// Exit: 0 measured; 1 a result was wrong, or with --strict an aim was not reached; 2 said wrongly; 3 no such device
// here; 4 its driver is too old; 5 too little memory for anything that was asked; 6 a kernel took the device with it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "core/ceilings.hpp"
#include "core/sweep.hpp"
#include "options.hpp"
#include "reckon/base/atomic_file.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/measured.hpp"

namespace reckon::bench {
namespace {

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

// One line that is written over on a terminal.
void progress(std::size_t at, std::size_t of, const std::string& text, bool done) {
  if (isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r\033[K[{}/{}] {}{}", at, of, text, done ? "\n" : "");
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

// False after saying why it could not be written.
bool keep(const Document& d, const std::string& output) {
  if (output.empty()) {
    fmt::print("{}", write(d));
    return true;
  }
  const std::string why = write_atomically(output, write(d));
  if (!why.empty()) say("reckon-bench: " + why);
  return why.empty();
}

int verdict_of(const std::vector<Comparison>& all, bool strict) {
  if (!strict || all_reached(all)) return kOk;
  say("--strict: not every aim was reached");
  return kWrong;
}

// What an earlier part of the same measurement holds; false after saying why there can be none.
bool begin_document(Workspace& work, const Options& o, const Machine& machine, Document& d) {
  if (o.resume && std::filesystem::exists(o.output)) {
    Diagnostics faults;
    std::optional<Document> before = read_document(work, o.output, faults);
    if (!before) return fmt::print(stderr, "{}", faults.render()), false;
    if (before->machine.devices != machine.devices || before->machine.runtime != machine.runtime)
      return say(fmt::format("--resume: {} was measured on another device: name another --output",
                             o.output)),
             false;
    d = std::move(*before);
  }
  d.machine = machine;
  d.chip = o.chip;
  d.date = today();
  return true;
}

// What is measured under another chip's name is a warning before it takes its time, as it will be to whoever reads it.
void say_another_chip(const Document& d) {
  Diagnostics warnings;
  for (const std::string& device : d.machine.devices) check_device(device, d.chip, {}, warnings);
  fmt::print(stderr, "{}", warnings.render());
}

int end_of(const Document& d, const Tally& t) {
  say(fmt::format("{} measured, {} left out", d.points.size(), d.left_out.size()));
  if (t.wrong > 0) say(fmt::format("{} results were WRONG and are not in the file", t.wrong));
  if (t.lost) {
    say("a kernel failed and took the device with it: the rest is not measured; again with "
        "--resume goes on behind it");
    return kLost;
  }
  if (t.wrong > 0) return kWrong;
  return d.points.empty() && t.too_large > 0 ? kNoMemory : kOk;
}

int run(Workspace& work, const Options& o, const std::vector<Problem>& problems,
        const std::vector<Aim>& aims, const std::string& command) {
  BackendFault fault;
  const std::unique_ptr<Backend> backend = open_backend(o.backend, fault);
  if (!backend) {
    say("reckon-bench: " + fault.text);
    return fault.old_driver ? kOldDriver : kNoDevice;
  }
  Document d;
  if (!begin_document(work, o, backend->machine(), d)) return kUsage;
  say_another_chip(d);
  d.command = command;
  const auto hung = [&] {
    if (!o.resume) keep(d, o.output);
    say("it hangs: the rest is not measured; again with --resume goes on behind it");
    std::fflush(nullptr);
    std::_Exit(kLost);
  };
  const auto kept = [&](const Document& so_far) {
    if (o.resume) keep(so_far, o.output);
  };
  const Tally t =
      run_session(*backend, left_to_do(problems, d), d, o.rules, {progress, kept, hung});
  if (!keep(d, o.output)) return kUsage;
  const std::vector<Comparison> all = held_against(d, aims);
  fmt::print(stderr, "{}", table_of(all));
  const int end = end_of(d, t);
  return end == kOk ? verdict_of(all, o.strict) : end;
}

std::string aims_file(const Options& o, const std::string& backend) {
  return o.aims.empty() ? o.root + "/microkernels/aims/" + backend + ".yaml" : o.aims;
}

int report(Workspace& work, const Options& o) {
  Diagnostics faults;
  const std::optional<Document> d = read_document(work, o.report, faults);
  std::vector<Comparison> all;
  if (d) {
    const std::string& of = d->machine.backend;
    const bool known = of == "cpu" || of == "cuda";
    if (!known && o.aims.empty())
      say(
          fmt::format("{}: there are no aims of a back end '{}': held against those of {}; --aims "
                      "FILE names others",
                      o.report, printable(of), o.backend.name));
    const std::string file = aims_file(o, known ? of : o.backend.name);
    all = held_against(*d, read_aims(work, file, faults));
  }
  fmt::print(stderr, "{}", faults.render());
  if (faults.has_errors()) return kUsage;
  fmt::print("{}", table_of(all));
  if (all.empty())
    say(fmt::format("{}: it holds no two points that can be held against each other", o.report));
  return verdict_of(all, o.strict);
}

// A chip that is said must be one that there is: `reckon calibrate` looks it up by that name.
bool is_chip(Workspace& work, const std::string& chip, Diagnostics& d) {
  return chip.empty() || work.load(Shelf::kChips, chip, {}, d) != nullptr;
}

// Aims of what is not asked for would only be said to be missing.
std::vector<Aim> asked(std::vector<Aim> aims, const std::vector<Problem>& problems) {
  std::erase_if(aims, [&problems](const Aim& a) {
    return std::none_of(problems.begin(), problems.end(),
                        [&a](const Problem& p) { return concerns(a, p); });
  });
  return aims;
}

int main_of(int argc, char** argv) {
  Options o;
  if (const std::optional<int> ends = read_options(argc, argv, o)) return *ends;
  Workspace work({o.root});
  if (!o.report.empty()) return report(work, o);
  if (o.sweep.empty()) o.sweep = o.root + "/microkernels/sweeps/" + o.backend.name + ".yaml";
  Diagnostics diagnostics;
  std::vector<Problem> problems;
  for (Problem& p : read_sweep(work, o.sweep, diagnostics))
    if (wanted(p, o.only)) problems.push_back(std::move(p));
  const std::vector<Aim> aims =
      asked(read_aims(work, aims_file(o, o.backend.name), diagnostics), problems);
  is_chip(work, o.chip, diagnostics);
  if (!o.output.empty() && is_same_file(o.output, o.sweep))
    diagnostics.error({}, fmt::format("--output {}: that is the sweep it reads", o.output));
  // All of it would be measured first, and lost.
  if (const std::string why = o.output.empty() || o.list ? "" : why_not_written(o.output);
      !why.empty())
    diagnostics.error({}, "--output: " + why)
        .help("a file in a folder that is there, or none: then stdout");
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
  return run(work, o, problems, aims, command);
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
