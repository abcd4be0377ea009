# A layer is a folder under src/ built as one static library; tools/layers.txt says which it may include.

# What most files instantiate (the operators of an algebra, copied and visited) takes longer to compile than what they say.
# Several files in one compilation do it once, which halves the time of a layer. Names in their anonymous namespaces must
# differ then; entries of registries have a namespace each, because all may say `apply`.
option(TESSERA_UNITY "Compile several files of a layer at once" ON)

# tessera_unity(TARGET): compiles the target so. (Files with flags of their own stay alone, as CMake has it.)
function(tessera_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# tessera_layer(NAME [UNITY] [BYTES] [DEPENDS layer...] [LIBRARIES target...]): tessera_NAME from every .cpp below the
# current folder. BYTES says that the layer reads bytes as values of other types, whose alignment UBSan then checks. The
# files of a folder are found, not listed, so adding one touches no build file.
function(tessera_layer name)
  cmake_parse_arguments(LAYER "UNITY;BYTES" "" "DEPENDS;LIBRARIES;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(LAYER_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${LAYER_EXCLUDE}")
  endif()
  if(NOT sources)
    add_library(tessera_${name} INTERFACE)
    return()
  endif()
  add_library(tessera_${name} STATIC ${sources})
  if(LAYER_UNITY)
    tessera_unity(tessera_${name})
  endif()
  target_compile_options(tessera_${name} PRIVATE ${TESSERA_WARNINGS})
  if(TESSERA_SANITIZE MATCHES "undefined" AND LAYER_BYTES)
    target_compile_options(tessera_${name} PRIVATE -fsanitize=alignment)
  endif()
  target_include_directories(tessera_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                                                    $<INSTALL_INTERFACE:${TESSERA_INCLUDE_FOLDER}>)
  set_target_properties(tessera_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS tessera_${name} EXPORT tessera ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  tessera_precompile_headers(tessera_${name} tessera_base ${TESSERA_STANDARD_HEADERS})
  foreach(below IN LISTS LAYER_DEPENDS)
    target_link_libraries(tessera_${name} PUBLIC tessera_${below})
  endforeach()
  target_link_libraries(tessera_${name} PUBLIC ${LAYER_LIBRARIES})
endfunction()

# tessera_part(LAYER NAME SOURCE...): sources of a layer that are compiled with flags of their own, and so without the
# precompiled headers, as a target LAYER_NAME.
function(tessera_part layer name)
  add_library(${layer}_${name} OBJECT ${ARGN})
  tessera_unity(${layer}_${name})
  target_compile_options(${layer}_${name} PRIVATE $<TARGET_PROPERTY:${layer},COMPILE_OPTIONS>)
  target_include_directories(${layer}_${name} PRIVATE $<TARGET_PROPERTY:${layer},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${layer}_${name} PRIVATE $<TARGET_PROPERTY:${layer},COMPILE_DEFINITIONS>)
  target_sources(${layer} PRIVATE $<TARGET_OBJECTS:${layer}_${name}>)
endfunction()

# tessera_register(TARGET FOLDERS KIND ARGUMENT HEADER FUNCTION): writes the list of a registry's folders.
# Every FOLDER/x.cpp defines `void register_KIND(ARGUMENT&)` in a namespace of its own, KIND_x below that of ARGUMENT, so the
# names in one file may be those in another. The generated source declares them all and defines `void FUNCTION(ARGUMENT&)`,
# which calls them in alphabetical order. FOLDERS is one folder or a list of patterns, for folders with other sources too: of
# "a/*_kernel.cpp;b/*_kernel.cpp" the registered names leave out the `_KIND`. (Self-registering statics in a static library
# are dropped by the linker; a generated list is not, and a wrong name is a link error that says the name.)
function(tessera_register target folders kind argument header function)
  set(patterns "")
  foreach(folder IN LISTS folders)
    if(NOT folder MATCHES "\\.cpp$")
      string(APPEND folder "/*.cpp")
    endif()
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  list(SORT sources)
  string(REGEX REPLACE "::[^:]*$" "" namespace ${argument})
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS sources)
    get_filename_component(stem ${source} NAME_WE)
    string(REGEX REPLACE "_${kind}$" "" stem ${stem})
    string(APPEND declarations "namespace ${kind}_${stem} {\nvoid register_${kind}(${argument}& registry);\n}\n")
    string(APPEND calls "  ${kind}_${stem}::register_${kind}(registry);\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${function}_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from ${folders}.
#include \"${header}\"

namespace ${namespace} {

${declarations}
void ${function}([[maybe_unused]] ${argument}& registry) {
${calls}}

}  // namespace ${namespace}
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
