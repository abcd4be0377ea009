#!/usr/bin/env bash
# make bench: times the program beside what this machine can do, and beside numpy and torch where they are installed
# (bench/limits). Arguments go to `tessera bench`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh run test
mkdir -p build
cmake --preset release -DTESSERA_BENCH=ON >build/release.configure.log 2>&1 || { cat build/release.configure.log >&2; exit 1; }
tools/build.sh release tessera tessera_bench
build/release/src/cli/tessera bench "$@"
