# Git's revision and the compiler, known to harness/results/provenance.cpp alone, so that a commit rebuilds one file.
execute_process(COMMAND git rev-parse HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  OUTPUT_VARIABLE tally_revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  OUTPUT_VARIABLE tally_changes ERROR_QUIET)
if(tally_changes)
  set(tally_dirty 1)
else()
  set(tally_dirty 0)
endif()
# A commit moves this file, and a build after it configures again.
foreach(moved HEAD index)
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/${moved})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/.git/${moved})
  endif()
endforeach()
set_source_files_properties(${PROJECT_SOURCE_DIR}/harness/results/provenance.cpp PROPERTIES COMPILE_DEFINITIONS
  "TALLY_GIT_REVISION=\"${tally_revision}\";TALLY_GIT_DIRTY=${tally_dirty};TALLY_VERSION=\"${PROJECT_VERSION}\";TALLY_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"")
