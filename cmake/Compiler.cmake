# Flags for our own code, and the tools that make a build fast where they are installed.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O2 keeps a full build within minutes; what runs per element sets -O3 itself (src/kernels). Assertions are our own.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
# The library can become part of a shared object, a module of Python for one. Programs are compiled with the same flag, so
# that all share the precompiled headers; nobody replaces our functions when a program starts.
add_compile_options(-fPIC -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for garbage when it holds as much, which most files never do: up to a tenth of their time.
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # A rule's launcher, which unlike a compiler's stays out of compile_commands.json: tools that read it know no `env`.
  # What ccache is told is what its manual asks for where headers are precompiled.
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE
    "env CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE}")
endif()
# Not with GCC: it leaves empty .cold parts of functions behind, and of two parts at one address lld 14 keeps one in its
# table of frames, maybe the empty one; an exception thrown through the other then ends the program.
find_program(LLD ld.lld)
if(LLD AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=lld)
endif()

if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(TESSERA_SANITIZE MATCHES "undefined")
    # Checks of every access to a member, a quarter of a build's time. AddressSanitizer finds a null too, and a layer that
    # casts bytes to other types has alignment checked (cmake/Layer.cmake).
    add_compile_options(-fno-sanitize=null,alignment,vptr,object-size)
  endif()
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
  # Each compiler has a way of its own to ask which of them it builds with.
  foreach(sanitizer IN ITEMS address thread)
    if(TESSERA_SANITIZE MATCHES ${sanitizer})
      string(TOUPPER TESSERA_${sanitizer}_SANITIZER definition)
      add_compile_definitions(${definition})
    endif()
  endforeach()
endif()

set(TESSERA_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND TESSERA_WARNINGS -Wno-sign-conversion)  # which is not in GCC's -Wconversion
endif()
if(TESSERA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Once a sanitizer's checks stand between, GCC 12 sees members of a variant's other alternatives as uninitialized, and
  # the characters of a long string in the place of a short one.
  list(APPEND TESSERA_WARNINGS -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
endif()
