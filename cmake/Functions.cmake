# The scalar functions: every src/expr/functions/x_y.h defines `struct XY` (src/expr/README.md says what is in it).
# From that folder three kinds of source are generated: the registry's list, the table that gives one value in f64 and i64, and for
# every instruction set the tables of block functions. A new function is one new header.

# Sets `headers` to the function headers whose name starts with one of `letters` (a range of a regular expression).
function(tessera_function_headers headers letters)
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/expr/functions/[${letters}]*.h)
  list(SORT found)
  set(${headers} ${found} PARENT_SCOPE)
endfunction()

# Sets `type` to the struct that a header defines: less_equal.h has LessEqual.
function(tessera_function_type type header)
  get_filename_component(stem ${header} NAME_WE)
  string(REPLACE "_" ";" words ${stem})
  set(name "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name "${first}${rest}")
  endforeach()
  set(${type} ${name} PARENT_SCOPE)
endfunction()

# Sets `includes` and `uses`: an #include line per header, and for each type `text` with @TYPE@ replaced.
function(tessera_expand_functions includes uses headers text)
  set(include_lines "")
  set(use_lines "")
  foreach(header IN LISTS headers)
    get_filename_component(file ${header} NAME)
    tessera_function_type(type ${header})
    string(APPEND include_lines "#include \"expr/functions/${file}\"\n")
    string(REPLACE "@TYPE@" "${type}" line "${text}")
    string(APPEND use_lines "${line}\n")
  endforeach()
  set(${includes} "${include_lines}" PARENT_SCOPE)
  set(${uses} "${use_lines}" PARENT_SCOPE)
endfunction()

# Adds register_all_functions() to a target, which has the functions of whole arrays too.
function(tessera_register_functions target)
  tessera_function_headers(headers "a-z")
  tessera_expand_functions(includes calls "${headers}" "  portable::add_function<portable::@TYPE@>(registry);")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/register_all_functions_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from expr/functions/.
#include \"expr/function_registration.h\"
${includes}
namespace tessera::expr {

void register_all_array_functions(FunctionRegistry& registry);

void register_all_functions(FunctionRegistry& registry) {
${calls}  register_all_array_functions(registry);
}

}  // namespace tessera::expr
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# Adds functions_on_numbers() to a target.
function(tessera_functions_on_numbers target)
  tessera_function_headers(headers "a-z")
  tessera_expand_functions(includes calls "${headers}" "  portable::add_on_numbers<portable::@TYPE@>(table);")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/functions_on_numbers_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from expr/functions/.
#include \"expr/function_on_numbers.h\"
${includes}
namespace tessera::expr {

std::map<std::string, OnNumbers> functions_on_numbers() {
  std::map<std::string, OnNumbers> table;
${calls}  return table;
}

}  // namespace tessera::expr
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# Writes one table of block functions of an instruction set as a source of the target.
function(tessera_block_table target isa table includes entries)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/block_${table}_${isa}_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from expr/functions/ for ${isa}.
#define TESSERA_ISA ${isa}
#include \"kernels/isa/block_entries.h\"
${includes}
namespace tessera::kernels::${isa} {

extern const BlockTable ${table};
constexpr FunctionEntries k_${table}[] = {
${entries}};
const BlockTable ${table} = {k_${table}, std::size(k_${table})};

}  // namespace tessera::kernels::${isa}
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
  set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "${TESSERA_ISA_FLAGS_${isa}}")
  tessera_skip_precompiled_headers(${generated})
endfunction()

# Adds the tables of block functions and casts of instruction sets (names as in kernels::Isa) to a target, and
# block_tables(), which lists them. TESSERA_ISA_FLAGS_<isa> has the compiler's flags for one. A table holds a range of
# letters, so that cores share the compiler's work and a new function leaves the other ranges alone.
function(tessera_block_tables target)
  set(declarations "")
  set(cases "")
  foreach(isa IN LISTS ARGN)
    set(names "")
    string(APPEND declarations "namespace ${isa} {\n")
    foreach(letters IN ITEMS a-b c-d e-h i-l m-q r-s t-z)
      string(REPLACE "-" "_to_" range ${letters})
      tessera_function_headers(headers ${letters})
      tessera_expand_functions(includes entries "${headers}" "    functions_of<expr::${isa}::@TYPE@>(),")
      tessera_block_table(${target} ${isa} functions_${range} "${includes}" "${entries}")
      string(APPEND declarations "extern const BlockTable functions_${range};\n")
      list(APPEND names "&${isa}::functions_${range}")
    endforeach()
    tessera_block_table(${target} ${isa} casts "#include \"kernels/isa/casts.h\"\n" "    all_casts(),\n")
    string(APPEND declarations "extern const BlockTable casts;\n}  // namespace ${isa}\n")
    list(APPEND names "&${isa}::casts")
    list(JOIN names ", " names)
    string(APPEND cases "    case Isa::${isa}: {\n      static constexpr const BlockTable* kTables[] = {${names}};\n")
    string(APPEND cases "      return kTables;\n    }\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/block_tables_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated: the tables of every instruction set.
#include \"kernels/isa/block_table.h\"

namespace tessera::kernels {

${declarations}
std::span<const BlockTable* const> block_tables(Isa isa) {
  switch (isa) {
${cases}  }
  return {};
}

}  // namespace tessera::kernels
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# Compiles kernels/isa/STEM.cpp.in once per instruction set (@isa@ in it) as a source of the target.
function(tessera_isa_sources target stem)
  foreach(isa IN LISTS ARGN)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/block_${stem}_${isa}_gen.cpp)
    configure_file(${CMAKE_CURRENT_SOURCE_DIR}/isa/${stem}.cpp.in ${generated} @ONLY)
    target_sources(${target} PRIVATE ${generated})
    # False alarms of the intrinsics: GCC bug 105593.
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "${TESSERA_ISA_FLAGS_${isa}};-Wno-uninitialized")
    tessera_skip_precompiled_headers(${generated})
  endforeach()
endfunction()
