#!/usr/bin/env bash
# make test: builds everything and runs the tests; fails if one does.
#
# CI=true adds the slow suites: tests labelled `slow`, the unit tests under AddressSanitizer and UBSan, those of
# threads under ThreadSanitizer, each fuzz target for 30 seconds, and clang-tidy on the files that changed. There the
# unit tests run optimised too only where it makes other code: to compile them is a third of a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

tools/install_dependencies.sh run test
unit_tests=""
[[ ${CI:-} != true ]] || unit_tests="kernels;store;runtime;io"
mkdir -p build
# Said every time: a build folder remembers what it was told last.
cmake --preset release -DTESSERA_UNIT_TESTS="$unit_tests" >build/release.configure.log
tools/build.sh release
if [[ ${CI:-} != true ]]; then
  ctest --test-dir build/release --output-on-failure --no-tests=error -j "$jobs" -LE slow
  exit
fi

# The slow suites run every mode on all plans, of which this one takes a few.
ctest --test-dir build/release --output-on-failure --no-tests=error -j "$jobs" -E '^cases\.plans_in_modes$'
tools/build.sh dev
ctest --test-dir build/dev --output-on-failure --no-tests=error -j "$jobs" -LE slow
tools/build.sh tsan runtime_test store_test
ctest --test-dir build/tsan --output-on-failure --no-tests=error -R '^unit\.(runtime|store)$'
tools/fuzz.sh 30
tools/tidy.sh --changed
