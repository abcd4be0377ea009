# Fails if a table of block functions defines a mergeable symbol that is not of its instruction set's namespaces: the
# linker may keep any one of equal inline functions, and so put AVX-512 code where a machine without it runs.
# Usage: cmake -DNM=nm -DARCHIVE=libtessera_kernels.a -P CheckIsaSymbols.cmake
execute_process(COMMAND ${NM} -A -C --defined-only ${ARCHIVE} OUTPUT_VARIABLE symbols RESULT_VARIABLE failure)
if(failure)
  message(FATAL_ERROR "${NM} cannot read ${ARCHIVE}")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REGEX MATCHALL "[^\n]*_avx[0-9]+_gen.cpp.o:[0-9a-f]+ [WVu] [^\n]*" mergeable "${symbols}")
foreach(line IN LISTS mergeable)
  string(REGEX REPLACE "^.*_gen.cpp.o:[0-9a-f]+ [WVu] " "" symbol "${line}")
  if(NOT symbol MATCHES "avx2|avx512|^DW\\.ref\\.")
    message(SEND_ERROR "compiled for one instruction set, mergeable with code for all: ${symbol}\n  in ${line}\n"
      "Put it into namespace TESSERA_ISA, or keep it out of vector code (src/expr/function_code.h).")
  endif()
endforeach()
