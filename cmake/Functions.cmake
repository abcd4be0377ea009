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

# Writes one table of block functions of an instruction set as a source of its library.
function(tessera_block_table isa table includes entries)
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
  target_sources(tessera_kernels_${isa} PRIVATE ${generated})
endfunction()

# Adds the tables of block functions and casts to the libraries of the instruction sets, and to a target block_tables() of
# each, which lists them. A table holds a range of letters, so that cores share the compiler's work and a new function leaves
# the other ranges alone.
function(tessera_block_tables target)
  set(lists "")
  foreach(isa IN LISTS TESSERA_ISAS)
    set(names "")
    foreach(letters IN ITEMS a-b c-d e-h i-l m-q r-s t-z)
      string(REPLACE "-" "_to_" range ${letters})
      tessera_function_headers(headers ${letters})
      tessera_expand_functions(includes entries "${headers}" "    functions_of<expr::${isa}::@TYPE@>(),")
      tessera_block_table(${isa} functions_${range} "${includes}" "${entries}")
      list(APPEND names functions_${range})
    endforeach()
    tessera_block_table(${isa} casts "#include \"kernels/isa/casts.h\"\n" "    all_casts(),\n")
    list(APPEND names casts)
    list(JOIN names ", " declared)
    list(JOIN names ", &" names)
    string(APPEND lists "namespace ${isa} {

extern const BlockTable ${declared};

std::span<const BlockTable* const> block_tables() {
  static constexpr const BlockTable* kTables[] = {&${names}};
  return kTables;
}

}  // namespace ${isa}

")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/block_tables_gen.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from expr/functions/.
#include \"kernels/isa/block_table.h\"

namespace tessera::kernels {

${lists}}  // namespace tessera::kernels
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
