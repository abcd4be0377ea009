# What `cmake --install` puts below its prefix: the program, its manual page and completions, and the library with its
# headers and a CMake package. `find_package(tessera)` then gives tessera::engine, and `#include "engine/session.h"` works.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The header tree is the source tree, in a folder of its own.
set(TESSERA_INCLUDE_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
set(TESSERA_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/ DESTINATION ${TESSERA_INCLUDE_FOLDER} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(EXPORT tessera NAMESPACE tessera:: FILE tessera-targets.cmake DESTINATION ${TESSERA_PACKAGE_FOLDER})

write_basic_package_version_file(${CMAKE_BINARY_DIR}/tessera-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/tessera-config.cmake ${CMAKE_BINARY_DIR}/tessera-config-version.cmake
        DESTINATION ${TESSERA_PACKAGE_FOLDER})
