#!/usr/bin/env bash
# make fmt: formats every C++ file with the settings of .clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh lint
find src test bench \( -name '*.h' -o -name '*.cpp' \) -print0 2>/dev/null | xargs -0 -r -n 32 -P "$(nproc)" clang-format -i
