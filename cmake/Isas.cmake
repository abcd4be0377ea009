# Element code is compiled once per instruction set; what runs is chosen when a program starts (src/machine/isa.h).

set(TESSERA_WIDEST_ISA avx512 CACHE STRING
    "Widest instruction set that element code is compiled for: scalar, avx2 or avx512; a narrower one builds sooner")

# The instruction sets to compile for, named as in machine/isa.h.
set(TESSERA_ISAS scalar avx2 avx512)
list(FIND TESSERA_ISAS "${TESSERA_WIDEST_ISA}" last)
if(last EQUAL -1)
  message(FATAL_ERROR "TESSERA_WIDEST_ISA is ${TESSERA_WIDEST_ISA}, not one of scalar, avx2 and avx512")
endif()
math(EXPR num_isas "${last} + 1")
list(SUBLIST TESSERA_ISAS 0 ${num_isas} TESSERA_ISAS)

# tessera_isa_sources(TARGET): compiles every isa/*.cpp.in once per instruction set (@isa@ in it) with the flags
# TESSERA_ISA_FLAGS_<isa>, as part of the target.
function(tessera_isa_sources target)
  file(GLOB templates CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/isa/*.cpp.in)
  foreach(isa IN LISTS TESSERA_ISAS)
    set(sources "")
    foreach(template IN LISTS templates)
      get_filename_component(stem ${template} NAME_WE)
      set(generated ${CMAKE_CURRENT_BINARY_DIR}/block_${stem}_${isa}_gen.cpp)
      configure_file(${template} ${generated} @ONLY)
      list(APPEND sources ${generated})
    endforeach()
    tessera_part(${target} ${isa} ${sources})
    set_target_properties(${target}_${isa} PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
    # False alarms of the intrinsics: GCC bug 105593.
    target_compile_options(${target}_${isa} PRIVATE ${TESSERA_ISA_FLAGS_${isa}} -Wno-uninitialized)
  endforeach()
endfunction()

# Sets `text` to the definition of `RESULT NAME(Isa)`, which calls NAME() of the instruction set's namespace.
function(tessera_isa_lookup text result name)
  set(declarations "")
  set(cases "")
  foreach(isa IN LISTS TESSERA_ISAS)
    string(APPEND declarations "namespace ${isa} {\n${result} ${name}();\n}\n")
    string(APPEND cases "  if (isa == Isa::${isa}) {\n    return ${isa}::${name}();\n  }\n")
  endforeach()
  set(${text} "${declarations}\n${result} ${name}(Isa isa) {\n${cases}  return {};\n}\n" PARENT_SCOPE)
endfunction()

# tessera_isa_tables(TARGET): defines each function `RESULT NAME(Isa isa)` that an isa/*_table.h declares. The source of an
# instruction set defines `RESULT NAME()` in its namespace.
function(tessera_isa_tables target)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/isa/*_table.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(includes "")
  set(lookups "")
  foreach(header IN LISTS headers)
    get_filename_component(file ${header} NAME)
    string(APPEND includes "#include \"kernels/isa/${file}\"\n")
    file(READ ${header} content)
    string(REGEX MATCHALL "\n[^\n()]+ [a-z_]+\\(Isa isa\\)" declared "${content}")
    foreach(declaration IN LISTS declared)
      string(REGEX MATCH "^\n(.+) ([a-z_]+)\\(" matched "${declaration}")
      tessera_isa_lookup(lookup "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
      string(APPEND lookups "${lookup}\n")
    endforeach()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/isa_tables_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from kernels/isa/.
${includes}
namespace tessera::kernels {

${lookups}}  // namespace tessera::kernels
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
