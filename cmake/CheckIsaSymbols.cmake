# Fails if an object of an instruction set defines a mergeable symbol that is not of its instruction set's namespaces: the
# linker may keep any one of equal inline functions, and so put AVX-512 code where a machine without it runs.
# Usage: cmake -DNM=nm -DOBJECTS=a.o,b.o -P CheckIsaSymbols.cmake
string(REPLACE "," ";" OBJECTS "${OBJECTS}")
execute_process(COMMAND ${NM} -A -C --defined-only ${OBJECTS} OUTPUT_VARIABLE symbols RESULT_VARIABLE failure)
if(failure)
  message(FATAL_ERROR "${NM} cannot read ${OBJECTS}")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REGEX MATCHALL "[^\n]*:[0-9a-f]+ [WVu] [^\n]*" mergeable "${symbols}")
foreach(line IN LISTS mergeable)
  string(REGEX REPLACE "^[^\n]*\\.o:[0-9a-f]+ [WVu] " "" symbol "${line}")
  if(NOT symbol MATCHES "avx2|avx512|^DW\\.ref\\.")
    message(SEND_ERROR "compiled for one instruction set, mergeable with code for all: ${symbol}\n  in ${line}\n"
      "Put it into namespace TESSERA_ISA, or keep it out of vector code (src/expr/function_code.h).")
  endif()
endforeach()
