#include "reckon/load/engine.hpp"

#include "machine.hpp"

namespace reckon::load {

Run play(const Engine& engine, std::vector<Request>& requests, const PlayOptions& options) {
  return Machine(engine, requests, options).run();
}

}  // namespace reckon::load
