#include <cublasLt.h>

#include <array>

#include "gemm_case.hpp"
#include "lt.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kProposals = 8, kTrials = 5;

void must_lt(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Failure(std::string(what) + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t type_of(Dtype t) {
  switch (t) {
    case Dtype::kBf16:
      return CUDA_R_16BF;
    case Dtype::kFp16:
      return CUDA_R_16F;
    case Dtype::kFp8:
      return CUDA_R_8F_E4M3;
    case Dtype::kTf32:
    case Dtype::kFp32:
      break;
  }
  return CUDA_R_32F;
}

}  // namespace

struct LtProduct::State {
  Gpu& gpu;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, w = nullptr, c = nullptr;
  std::array<cublasLtMatmulHeuristicResult_t, kProposals> proposals{};
  int found = 0, best = 0;
  Buffer workspace;

  explicit State(Gpu& g) : gpu(g), workspace(kWorkspace) {}
  ~State() {
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(w);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatmulDescDestroy(operation);
    cublasLtDestroy(handle);
  }
  cublasStatus_t run(int which, const void* pa, const void* pw, void* pc, cudaStream_t s) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, operation, &one, pw, w, pa, a, &zero, pc, c, pc, c,
                          &proposals[static_cast<std::size_t>(which)].algo, workspace.as<void>(),
                          kWorkspace, s);
  }
};

LtProduct::LtProduct(LtProduct&&) noexcept = default;
LtProduct::~LtProduct() = default;

// Seen in columns, C is n × m: Wᵀ (k × n, turned) times A (k × m).
LtProduct::LtProduct(Gpu& gpu, Dtype t, Dtype out, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::string& why)
    : state_(std::make_unique<State>(gpu)) {
  State& x = *state_;
  must_lt(cublasLtCreate(&x.handle), "cublasLtCreate");
  const cublasComputeType_t compute =
      t == Dtype::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  must_lt(cublasLtMatmulDescCreate(&x.operation, compute, CUDA_R_32F), "operation");
  const cublasOperation_t turned = CUBLAS_OP_T;
  must_lt(cublasLtMatmulDescSetAttribute(x.operation, CUBLASLT_MATMUL_DESC_TRANSA, &turned,
                                         sizeof turned),
          "operation");
  const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  must_lt(cublasLtMatrixLayoutCreate(&x.w, type_of(t), u(k), u(n), k), "layout");
  must_lt(cublasLtMatrixLayoutCreate(&x.a, type_of(t), u(k), u(m), k), "layout");
  must_lt(cublasLtMatrixLayoutCreate(&x.c, type_of(out), u(n), u(m), n), "layout");
  cublasLtMatmulPreference_t preference = nullptr;
  must_lt(cublasLtMatmulPreferenceCreate(&preference), "preference");
  must_lt(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &kWorkspace, sizeof kWorkspace),
          "preference");
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(x.handle, x.operation, x.w, x.a, x.c, x.c, preference,
                                     kProposals, x.proposals.data(), &x.found);
  cublasLtMatmulPreferenceDestroy(preference);
  if (status != CUBLAS_STATUS_SUCCESS || x.found == 0)
    why = "cuBLASLt has no algorithm for this shape and format here";
}

void LtProduct::tune(const void* a, const std::vector<const void*>& w, void* c) {
  State& x = *state_;
  cudaEvent_t start = nullptr, stop = nullptr;
  must(cudaEventCreate(&start), "event");
  must(cudaEventCreate(&stop), "event");
  float least = HUGE_VALF;
  std::size_t next = 0;
  const auto run = [&](int proposal) {
    next = (next + 1) % w.size();
    return x.run(proposal, a, w[next], c, x.gpu.stream);
  };
  for (int i = 0; i < x.found; ++i) {
    if (run(i) != CUBLAS_STATUS_SUCCESS) continue;
    must(cudaEventRecord(start, x.gpu.stream), "event");
    for (int j = 0; j < kTrials; ++j) run(i);
    must(cudaEventRecord(stop, x.gpu.stream), "event");
    must(cudaStreamSynchronize(x.gpu.stream), "cuBLASLt");
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, start, stop), "event");
    if (milliseconds < least) {
      least = milliseconds;
      x.best = i;
    }
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  if (least == HUGE_VALF) throw Failure("cuBLASLt: none of its algorithms runs");
}

void LtProduct::run(const void* a, const void* w, void* c, cudaStream_t s) const {
  must_lt(state_->run(state_->best, a, w, c, s), "cublasLtMatmul");
}

std::string LtProduct::version() { return std::to_string(cublasLtGetVersion()); }

namespace {

class LtGemm final : public GemmCase {
 public:
  LtGemm(Gpu& gpu, const Problem& p, Dtype t, std::string& why)
      : GemmCase(gpu, p, t), product_(gpu, t, out_, x_.m, x_.n, x_.k, why) {
    note_ = "cuBLASLt " + LtProduct::version() + ", the fastest of its proposals";
  }
  void tune() {
    std::vector<const void*> all;
    for (std::size_t i = 0; i < copies_; ++i) all.push_back(weights(i));
    product_.tune(a_.as<void>(), all, c_.as<void>());
  }

 private:
  void multiply(const void* a, const void* w, void* c, cudaStream_t s) override {
    product_.run(a, w, c, s);
  }
  LtProduct product_;
};

}  // namespace

Prepared prepare_lt_gemm(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  Dtype t{};
  if (!dtype_of(p.dtype, t)) return refuse(refusal, why, "no such format: " + p.dtype);
  if (p.op == "grouped-gemm")
    return refuse(refusal, why, "cuBLASLt has no grouped product here: library own");
  if (t == Dtype::kFp8 && gpu.sm < 89) return refuse(refusal, why, "fp8 needs sm_89 or newer");
  std::string none;
  auto c = std::make_unique<LtGemm>(gpu, p, t, none);
  if (!none.empty()) return refuse(refusal, why, none);
  if (!c->allocate(kWorkspace, refusal, why)) return nullptr;
  c->tune();
  return c;
}

}  // namespace reckon::bench::cuda
