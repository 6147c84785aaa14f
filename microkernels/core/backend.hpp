// What a device offers to be measured: the one seam between the programme and its back ends.
//
//   std::string why;
//   std::unique_ptr<Case> c = backend.prepare(problem, why);     // null: not here, or not enough memory
//   c->check()                                                   // poisons the outputs, runs once, compares
//   c->run()                                                     // seconds of one run
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "problem.hpp"

namespace reckon::bench {

struct Machine {
  std::string backend, host, processor, driver, runtime;
  std::vector<std::string> devices;  // one a rank
  double units = 0;                  // SMs or cores used
  double clock = 0;                  // Hz as stated
  double memory = 0, cache = 0;      // bytes: of the device, of its last-level cache
};

class Case {
 public:
  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  virtual ~Case() = default;

  virtual Check check() = 0;
  virtual double run() = 0;             // seconds
  virtual double clock() { return 0; }  // Hz during the last run; 0: not known
  virtual std::string note() const { return ""; }
  // Where only the device knows how much one run does.
  virtual Amounts amounts(const Problem& problem) const { return amounts_of(problem); }
};

enum class Refusal { kNone, kNotHere, kMemory };

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual const Machine& machine() const = 0;
  virtual std::unique_ptr<Case> prepare(const Problem& problem, Refusal& refusal,
                                        std::string& why) = 0;
  // Whether the device still answers after a case failed: a fault inside a kernel ends all that the process has there.
  virtual bool answers() { return true; }
};

}  // namespace reckon::bench
