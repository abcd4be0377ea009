#!/usr/bin/env bash
# Configures a preset where that has not happened yet and builds it.
#
#   tools/build.sh PRESET [TARGET...]     without a target: everything, tests included
#
# Prints the compiler's output only if the build fails or takes work. With targets named, a fresh configuration leaves
# the tests out, so that running needs no test libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift

configure() {
  cmake --preset "$preset" -DTESSERA_TESTS="$1" >"build/$preset.configure.log" 2>&1 || {
    cat "build/$preset.configure.log" >&2
    exit 1
  }
}

mkdir -p build
if [[ $# -gt 0 ]]; then
  [[ -f build/$preset/build.ninja ]] || configure OFF
  cmake --build "build/$preset" --target "$@" -- --quiet >&2
else
  configure ON
  cmake --build "build/$preset" -- --quiet >&2
fi
