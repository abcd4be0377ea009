# find_package(tessera): the target tessera::engine, with what it links.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(FastFloat)
find_dependency(SQLite3)
include(${CMAKE_CURRENT_LIST_DIR}/tessera-targets.cmake)
