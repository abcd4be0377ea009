# The headers of other projects that most files read, compiled once: parsing them is a third of a build's work.
# Only what does not change with our code is in the lists, so none of it is compiled again because of ours. A file still
# includes all that it uses: the preset `tidy` builds without the option, and continuous integration with that preset.

option(TESSERA_PRECOMPILED_HEADERS "Compile the headers that most files read once" ON)

set(TESSERA_STANDARD_HEADERS
    <algorithm> <array> <bit> <charconv> <cmath> <complex> <cstdint> <cstring> <functional> <limits> <map> <memory>
    <optional> <set> <span> <string> <string_view> <tuple> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
set(TESSERA_TEST_HEADERS ${TESSERA_STANDARD_HEADERS} <random> <gtest/gtest.h> <gmock/gmock.h>)

# tessera_precompile_headers(TARGET OWNER [HEADER...]): the owner compiles the headers, every other target uses what the
# owner compiled. Both must be compiled with equal flags.
function(tessera_precompile_headers target owner)
  if(NOT TESSERA_PRECOMPILED_HEADERS)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # No two compilations of the headers are equal to the bit. What ccache compares instead is what they were made from,
    # so that several working trees share what it keeps.
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum
         CONTENT "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} fmt ${fmt_VERSION} gtest ${GTest_VERSION} ${ARGN}\n")
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# For sources whose flags differ from those of their target.
function(tessera_skip_precompiled_headers)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
