# The device `cuda`: nvcc, the architectures to build for, and the harness's own CUDA code.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE visible_gpus ERROR_QUIET RESULT_VARIABLE no_gpu)
  if(no_gpu EQUAL 0 AND visible_gpus MATCHES "GPU 0")
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES ${TALLY_CUDA_ARCHITECTURES})
  endif()
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# CMake before 3.25.2 does not know that nvcc has C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

# --expt-relaxed-constexpr: kernels use std::numeric_limits and the constexpr rules of problems/.
set(tally_cuda_options --expt-relaxed-constexpr --extended-lambda -lineinfo -Xcompiler=-Wall
    --diag-suppress=177 --diag-suppress=20012)

file(GLOB cuda_sources CONFIGURE_DEPENDS harness/device/cuda/*.cu harness/device/cuda/*.cpp)
add_library(tally_cuda STATIC ${cuda_sources})
target_include_directories(tally_cuda PUBLIC ${PROJECT_SOURCE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_compile_options(tally_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${tally_cuda_options}>)
target_link_libraries(tally_cuda PUBLIC CUDA::cudart_static ${CMAKE_DL_LIBS})
if(TALLY_CCCL_DIR)
  target_include_directories(tally_cuda BEFORE PUBLIC ${TALLY_CCCL_DIR})
endif()
