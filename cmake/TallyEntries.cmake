# Variants and baselines are found, not listed. Each .cu file is compiled once for each device: by nvcc for `cuda`, and
# as plain C++ for `simt` through a one-line file that includes it. Each .cpp file is library code for `host`.

# Loads, stores and branches of the CPU executor's copy call back into the executor, which counts them. Vectorisers and
# unrolling would merge accesses that a GPU makes one by one.
set(tally_simt_options -O1 -g -fno-strict-aliasing -Wno-unknown-pragmas -Wno-unused-function -Wno-pass-failed)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # By a relative name: a compiler cache takes no account of the folder then.
  file(RELATIVE_PATH not_instrumented ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake/simt_not_instrumented.txt)
  list(APPEND tally_simt_options -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fdebug-compilation-dir=.
       -fsanitize-coverage=bb,no-prune,pc-table,trace-pc-guard,trace-loads,trace-stores
       -fsanitize-coverage-ignorelist=${not_instrumented})
else()
  message(NOTICE "The compiler is ${CMAKE_CXX_COMPILER_ID}: the CPU executor will run kernels and check their answers, and "
    "count nothing. With -DCMAKE_CXX_COMPILER=clang++ it counts.")
endif()

set(TALLY_FAMILIES "" CACHE STRING "Build the variants and baselines of these families alone (reduce;scan); empty: all")

# Leaves in the list `files`, of FOLDER/family/..., those of the families that are asked for.
function(tally_keep_asked_families files folder)
  if(TALLY_FAMILIES AND NOT folder MATCHES "^tests/")
    list(JOIN TALLY_FAMILIES "|" asked)
    list(FILTER ${files} INCLUDE REGEX "(^|/)${folder}/(${asked})/")
    set(${files} "${${files}}" PARENT_SCOPE)
  endif()
endfunction()

# tally_add_entries(NAME FOLDER...): the object libraries NAME_simt, NAME_host and, with CUDA, NAME_cuda of all entries
# under those folders; in `entry_objects_of_NAME`.
function(tally_add_entries name)
  set(objects "")
  set(simt_sources "")
  set(cuda_sources "")
  set(host_sources "")
  foreach(folder ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${PROJECT_SOURCE_DIR}/${folder}/*.cu)
    tally_keep_asked_families(found ${folder})
    foreach(source ${found})
      # Beside the build folders of the presets, so that a compiler cache serves all of them with one object.
      set(wrapper ${PROJECT_BINARY_DIR}/../simt-sources/${source}.cpp)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n" @ONLY)
      list(APPEND simt_sources ${wrapper})
      list(APPEND cuda_sources ${PROJECT_SOURCE_DIR}/${source})
    endforeach()
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    tally_keep_asked_families(found ${folder})
    list(APPEND host_sources ${found})
  endforeach()

  if(simt_sources)
    add_library(${name}_simt OBJECT ${simt_sources})
    target_compile_definitions(${name}_simt PRIVATE TALLY_SIMT)
    target_compile_options(${name}_simt PRIVATE ${tally_simt_options})
    list(APPEND objects ${name}_simt)
  endif()
  if(host_sources)
    add_library(${name}_host OBJECT ${host_sources})
    if(TALLY_THRUST_INCLUDE AND TBB_FOUND)
      target_compile_definitions(${name}_host PRIVATE TALLY_HAS_THRUST_ON_HOST=1
        THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_TBB)
      target_include_directories(${name}_host SYSTEM PRIVATE ${TALLY_THRUST_INCLUDE})
    endif()
    if(TBB_FOUND)
      target_link_libraries(${name}_host PUBLIC TBB::tbb)
    endif()
    list(APPEND objects ${name}_host)
  endif()
  if(TALLY_CUDA AND cuda_sources)
    add_library(${name}_cuda OBJECT ${cuda_sources})
    target_compile_options(${name}_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${tally_cuda_options}>)
    target_link_libraries(${name}_cuda PUBLIC tally_cuda CUDA::cublas CUDA::cufft)
    list(APPEND objects ${name}_cuda)
  endif()
  foreach(library ${objects})
    target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR})
  endforeach()
  set(entry_objects_of_${name} ${objects} PARENT_SCOPE)
endfunction()

# tally_add_harness(NAME MAIN ENTRIES...): an executable with all shipped entries and those of further sets.
function(tally_add_harness name main)
  if(NOT TARGET entries_simt)
    tally_add_entries(entries variants baselines)
    set(tally_entry_objects ${entry_objects_of_entries} CACHE INTERNAL "")
  endif()
  add_executable(${name} ${main})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${tally_entry_objects} ${ARGN} tally_problems tally_sweep CLI11::CLI11)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON BUILD_RPATH_USE_ORIGIN ON
    BUILD_RPATH "$ORIGIN/lib" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
