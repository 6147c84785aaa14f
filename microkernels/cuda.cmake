# The CUDA back end: -DRECKON_MICROKERNELS_CUDA=ON where nvcc is. CMAKE_CUDA_ARCHITECTURES says for which GPUs; wgmma
# needs 90a among them.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "RECKON_MICROKERNELS_CUDA: nvcc was not found; -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real 100-real)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

file(GLOB cuda_sources CONFIGURE_DEPENDS cuda/*.cu)
add_library(reckon_bench_cuda STATIC ${cuda_sources})
target_link_libraries(reckon_bench_cuda PUBLIC reckon_bench_core CUDA::cudart_static CUDA::cublasLt)
# By the flag: CUDA_STANDARD 20 is refused by CMake 3.25, which does not know that nvcc 12 and later have it.
target_compile_options(reckon_bench_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
# nvcc reads other flags than g++: only what both understand.
target_compile_options(reckon_bench_cuda PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:-O2 --expt-relaxed-constexpr -Xcompiler=-Wall -Werror=all-warnings>)
if("${CMAKE_CUDA_ARCHITECTURES}" MATCHES "90a")
  target_compile_definitions(reckon_bench_cuda PRIVATE RECKON_HAS_SM90A)
endif()

find_path(nccl_headers nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(nccl nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
if(nccl_headers AND nccl)
  target_include_directories(reckon_bench_cuda PRIVATE ${nccl_headers})
  target_link_libraries(reckon_bench_cuda PUBLIC ${nccl})
  target_compile_definitions(reckon_bench_cuda PRIVATE RECKON_HAS_NCCL)
endif()

target_link_libraries(reckon-bench PRIVATE reckon_bench_cuda)
target_compile_definitions(reckon-bench PRIVATE RECKON_HAS_CUDA)
