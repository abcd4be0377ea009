#!/usr/bin/env bash
# Configures a preset where that has not happened yet and builds it.
#
#   tools/build.sh PRESET [TARGET...]     without a target: everything, tests included
#
# Says that it builds and how far it is, all on stderr; nothing where nothing is to be done. Where only the program is
# asked for, a fresh configuration leaves the tests out, so that running needs no test libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift

configure() {
  [[ -f build/$preset/build.ninja ]] || echo "configuring build/$preset" >&2
  cmake --preset "$preset" -DTESSERA_TESTS="$1" >"build/$preset.configure.log" 2>&1 || {
    cat "build/$preset.configure.log" >&2
    exit 1
  }
}

# On a terminal ninja shows its progress in one line. Elsewhere every tenth part is a line, "30 % built, 61 of 203 steps", and
# so is all that is not progress.
show_progress() {
  awk -F'[][/]' '!/^\[[0-9]+\/[0-9]+\]/ { print; next }
                 { percent = int(100 * $2 / $3) }
                 percent >= next_percent { printf "%d %% built, %d of %d steps\n", percent, $2, $3; fflush()
                                           next_percent = 10 * (int(percent / 10) + 1) }' >&2
}

mkdir -p build
if [[ $* == tessera ]]; then
  [[ -f build/$preset/build.ninja ]] || configure OFF
else
  configure ON
fi
[[ $# -gt 0 ]] || set -- all
if ninja -C "build/$preset" -n "$@" | tail -1 | grep -q '^ninja: no work to do'; then
  exit
fi
[[ -f build/$preset/.ninja_log ]] || echo "building $* for the first time; two cores take about ten minutes" >&2
if [[ -t 2 ]]; then
  ninja -C "build/$preset" "$@" >&2
else
  ninja -C "build/$preset" "$@" | show_progress
fi
