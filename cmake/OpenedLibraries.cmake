# Libraries that a program opens only where it needs them.

# tessera_finds_opened_libraries(TARGET): a program that opens them, where it is built and where it is installed.
function(tessera_finds_opened_libraries target)
  set_target_properties(${target} PROPERTIES
                        BUILD_RPATH "${CMAKE_BINARY_DIR}/src/kernels;${CMAKE_BINARY_DIR}/src/simulate;${CMAKE_BINARY_DIR}/src/net"
                        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/tessera")
  # An address sanitizer opens libraries in the program's place: it finds them by RPATH, which holds for all that is loaded,
  # and not by RUNPATH, which holds for the program alone.
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  foreach(library IN ITEMS tessera_codegen tessera_simgrid tessera_mpi)
    if(TARGET ${library})
      add_dependencies(${target} ${library})
    endif()
  endforeach()
endfunction()

# tessera_opened_when_called(TARGET SOURCE DEFINITION LIBRARY): tells the source that opens a shared library
# (base/opened_library.h) the name by which the loader finds it.
function(tessera_opened_when_called target source definition library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} is no shared library")
  endif()
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_DEFINITIONS ${definition}="${CMAKE_MATCH_1}")
endfunction()
