#!/usr/bin/env bash
# make bench: times the program beside numpy. Arguments go to bench/run.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh run test
tools/build.sh release tessera
/usr/bin/python3 bench/run.py "$@"
