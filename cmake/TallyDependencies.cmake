# The system's packages first; pinned sources from their own repositories where a machine has none.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

find_package(Threads REQUIRED)

find_package(nlohmann_json 3.9 QUIET)
if(NOT nlohmann_json_FOUND)
  FetchContent_Declare(json URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz)
  FetchContent_MakeAvailable(json)
endif()

find_package(benchmark 1.6 QUIET)
if(NOT benchmark_FOUND)
  set(BENCHMARK_ENABLE_TESTING OFF)
  FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark.git GIT_TAG v1.8.3)
  FetchContent_MakeAvailable(benchmark)
endif()

find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  FetchContent_Declare(cli11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2)
  FetchContent_MakeAvailable(cli11)
endif()

find_package(Boost 1.71 QUIET COMPONENTS context)
if(NOT TARGET Boost::context)
  FetchContent_Declare(boost
    URL https://github.com/boostorg/boost/releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz)
  set(BOOST_INCLUDE_LIBRARIES context)
  FetchContent_MakeAvailable(boost)
  add_library(Boost::context ALIAS boost_context)
endif()

# The parallel algorithms of the standard library run on TBB.
find_package(TBB QUIET)

# Thrust's own headers for its CPU systems: the toolkit's, else the system's package.
find_path(TALLY_THRUST_INCLUDE thrust/reduce.h
  HINTS ${TALLY_CCCL_DIR} /usr/local/cuda/include/cccl /usr/local/cuda/include ENV CUDA_HOME
  PATH_SUFFIXES include/cccl include)
