#include "backends.hpp"

namespace reckon::bench {

std::unique_ptr<Backend> open_backend(const BackendOptions& options, BackendFault& fault) {
  return options.name == "cuda" ? open_cuda(options, fault) : open_cpu(options, fault);
}

#ifndef RECKON_HAS_CUDA
std::unique_ptr<Backend> open_cuda(const BackendOptions&, BackendFault& fault) {
  fault.text =
      "this reckon-bench was built without CUDA: configure with -DRECKON_MICROKERNELS_CUDA=ON "
      "where nvcc is, or use --backend cpu";
  return nullptr;
}
#endif

}  // namespace reckon::bench
