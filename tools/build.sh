#!/usr/bin/env bash
# Configures a preset where that has not happened yet and builds it.
#
#   tools/build.sh PRESET [TARGET...]     without a target: everything, tests included
#
# Prints nothing but errors. Where only the program is asked for, a fresh configuration leaves the tests out, so that
# running needs no test libraries.
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
if [[ $* == tessera ]]; then
  [[ -f build/$preset/build.ninja ]] || configure OFF
else
  configure ON
fi
[[ $# -gt 0 ]] || set -- all
cmake --build "build/$preset" --target "$@" -- --quiet >&2
