// The GPU: what it is, whether it can be used, and which case measures what.
#include <unistd.h>

#include <algorithm>

#include "numbers.cuh"

namespace reckon::bench {
namespace {

using namespace cuda;

constexpr int kOldestSm = 75;  // CUDA 13 builds for nothing older

std::string version(int v) {
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

Gpu describe(int device) {
  cudaDeviceProp p{};
  must(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  Gpu g;
  g.device = device;
  g.sm = 10 * p.major + p.minor;
  g.sms = p.multiProcessorCount;
  g.shared_most = p.sharedMemPerBlockOptin;
  int clock = 0, driver = 0, runtime = 0;
  must(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device), "clock");
  must(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  must(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  Machine& m = g.machine;
  m.backend = "cuda";
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0) m.host = host;
  m.driver = "CUDA " + version(driver);
  m.runtime = "CUDA " + version(runtime) + ", sm_" + std::to_string(g.sm);
  m.devices = {p.name};
  m.units = p.multiProcessorCount;
  m.clock = 1e3 * clock;
  m.memory = static_cast<double>(p.totalGlobalMem);
  m.cache = static_cast<double>(p.l2CacheSize);
  return g;
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(Gpu gpu) : gpu_(std::move(gpu)) {
    must(cudaStreamCreateWithFlags(&gpu_.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaBackend() override { cudaStreamDestroy(gpu_.stream); }

  const Machine& machine() const override { return gpu_.machine; }

  std::unique_ptr<Case> prepare(const Problem& p, Refusal& refusal, std::string& why) override {
    // A case over several devices that failed may have left another one current.
    must(cudaSetDevice(gpu_.device), "cudaSetDevice");
    try {
      return dispatch(p, refusal, why);
    } catch (const Failure& f) {
      // Out of memory is a refusal; of anything else the session asks whether the device still answers.
      if (cudaGetLastError() != cudaErrorMemoryAllocation) throw;
      return refuse(refusal, why, f.what(), Refusal::kMemory);
    }
  }

  bool answers() override {
    const bool yes = cudaDeviceSynchronize() == cudaSuccess;
    cudaGetLastError();
    return yes;
  }

 private:
  std::unique_ptr<Case> dispatch(const Problem& p, Refusal& refusal, std::string& why) {
    const auto is = [&p](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), p.op) != names.end();
    };
    if (p.op.starts_with("memory-") || p.op == "cache-read")
      return prepare_memory(gpu_, p, refusal, why);
    if (is({"launch", "host-to-device", "device-to-host", "peer-copy"}))
      return prepare_transfer(gpu_, p, refusal, why);
    if (is({"gemm", "grouped-gemm"}))
      return p.library == "cuBLASLt" ? prepare_lt_gemm(gpu_, p, refusal, why)
                                     : prepare_own_gemm(gpu_, p, refusal, why);
    if (p.op.starts_with("attention-")) return prepare_attention(gpu_, p, refusal, why);
    if (is({"norm", "swiglu", "quantize"})) return prepare_stream(gpu_, p, refusal, why);
    if (p.op.starts_with("layer-")) return prepare_layer(gpu_, p, refusal, why);
    if (is({"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}))
      return prepare_collective(gpu_, p, refusal, why);
    return refuse(refusal, why, "the CUDA back end has no " + p.op);
  }

  Gpu gpu_;
};

}  // namespace

std::unique_ptr<Backend> open_cuda(const BackendOptions& options, BackendFault& fault) {
  int devices = 0, driver = 0, runtime = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (error == cudaErrorInsufficientDriver && driver > 0) {
    fault = {"the driver is of CUDA " + version(driver) + " and this programme of CUDA " +
                 version(runtime) + ": install a newer driver, or build with an older toolkit",
             true};
    return nullptr;
  }
  if (error != cudaSuccess || devices == 0) {
    fault.text = std::string("no CUDA GPU here") + (driver == 0 ? ": no driver is loaded" : "") +
                 (error == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(error) + ")");
    return nullptr;
  }
  if (options.device < 0 || options.device >= devices) {
    fault.text = "--device " + std::to_string(options.device) + ": there are " +
                 std::to_string(devices) + ", counted from 0";
    return nullptr;
  }
  must(cudaSetDevice(options.device), "cudaSetDevice");
  Gpu gpu = describe(options.device);
  if (gpu.sm < kOldestSm) {
    fault.text = gpu.machine.devices[0] + " is sm_" + std::to_string(gpu.sm) +
                 ": CUDA 13 builds for sm_75 and newer";
    return nullptr;
  }
  return std::make_unique<CudaBackend>(std::move(gpu));
}

}  // namespace reckon::bench
