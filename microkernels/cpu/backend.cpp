// This machine's CPU: what it is, and which case measures what.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "case.hpp"

namespace reckon::bench {
namespace {

using namespace cpu;

constexpr double kMemoryShare = 0.5;  // of what is free: others live here too

// "model name : Intel(R) Xeon(R) …" of /proc/cpuinfo.
std::string line_of(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find_first_not_of(" \t:", key.size());
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "";
}

std::string host_name() {
  char text[256] = {};
  return ::gethostname(text, sizeof text - 1) == 0 ? text : "";
}

double last_level_cache() {
  for (const int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const long bytes = ::sysconf(name); bytes > 0) return static_cast<double>(bytes);
  return 0;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : cpu_(threads) {
    Machine& m = cpu_.machine;
    m.backend = "cpu";
    m.host = host_name();
    m.processor = line_of("/proc/cpuinfo", "model name");
    m.devices = {m.processor.empty() ? "CPU" : m.processor};
    m.runtime =
        fmt::format("g++ {}, {} floats a register", __VERSION__, panel_width() >= 64 ? 16 : 8);
    m.units = threads;
    m.cache = last_level_cache();
    constexpr double kKib = 1024;
    m.memory = kKib * std::atof(line_of("/proc/meminfo", "MemTotal").c_str());
    cpu_.may_use =
        kMemoryShare * kKib * std::atof(line_of("/proc/meminfo", "MemAvailable").c_str());
  }

  const Machine& machine() const override { return cpu_.machine; }

  std::unique_ptr<Case> prepare(const Problem& p, Refusal& refusal, std::string& why) override {
    const auto is = [&p](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), p.op) != names.end();
    };
    refusal = Refusal::kNotHere;
    if (!p.dtype.empty() && p.dtype != "fp32") {
      why = "the CPU back end computes in fp32 alone";
      return nullptr;
    }
    if (is({"fma", "launch", "peer-copy", "memory-read", "memory-write", "memory-copy",
            "memory-triad", "cache-read"}))
      return prepare_memory(cpu_, p, refusal, why);
    if (p.op == "gemm") return prepare_gemm(cpu_, p, refusal, why);
    if (p.op.starts_with("attention-")) return prepare_attention(cpu_, p, refusal, why);
    if (is({"norm", "swiglu", "quantize"})) return prepare_stream(cpu_, p, refusal, why);
    if (p.op.starts_with("layer-")) return prepare_layer(cpu_, p, refusal, why);
    why = "the CPU back end has no " + p.op;
    return nullptr;
  }

 private:
  Cpu cpu_;
};

}  // namespace

std::unique_ptr<Backend> open_cpu(const BackendOptions& options, BackendFault&) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::make_unique<CpuBackend>(options.threads > 0 ? options.threads : cores);
}

}  // namespace reckon::bench
