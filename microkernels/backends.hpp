// The back ends that this programme was built with.
#pragma once

#include <memory>
#include <string>

#include "core/backend.hpp"

namespace reckon::bench {

struct BackendOptions {
  std::string name = "cpu";
  int device = 0;
  int threads = 0;
};

struct BackendFault {
  std::string text;
  bool old_driver = false;
};

// Null, and why, if the device is not there or can't be used.
std::unique_ptr<Backend> open_backend(const BackendOptions& options, BackendFault& fault);

std::unique_ptr<Backend> open_cpu(const BackendOptions& options, BackendFault& fault);
// Where it was not built in, it says so.
std::unique_ptr<Backend> open_cuda(const BackendOptions& options, BackendFault& fault);

}  // namespace reckon::bench
