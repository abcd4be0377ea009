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
