#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing; calls apt-get only if one is.
#
#   tools/install_dependencies.sh [run] [test] [fuzz] [lint]     the sets to install; without one: run and test
#
# Uses sudo where the user is not root. On a system without dpkg it says what is needed and goes on: what is
# missing is then named by CMake.
set -euo pipefail

# One line each: set, package, reason. doc/dependencies.md says why these and what bites.
packages='
run  make                    the door to this project
run  g++                     C++20 compiler (12.2 and later)
run  cmake                   configures the build
run  ninja-build             runs the build
run  ccache                  makes a second build short
run  libfmt-dev              formatting of every message and plan
run  libcli11-dev            the command line
run  nlohmann-json3-dev      plans as JSON
run  libdnnl-dev             oneDNN: f32 matrix products with short rows
run  libopenblas-pthread-dev OpenBLAS: f32, f64 and complex matrix products
run  libxsimd-dev            vector instructions of the element-wise kernels
run  libfast-float-dev       numbers in program text, read exactly
run  libzip-dev              .npz archives
run  libisal-dev             checksums of tables and checkpoints
run  llvm-14-dev             LLVM: machine code of general expressions
run  libsimgrid-dev          SimGrid: what `tessera simulate` plays plans on
run  libopenmpi-dev          Open MPI: several processes, under mpirun
run  openmpi-bin             mpirun
run  libtomlplusplus-dev     descriptions of clusters in TOML
run  libpg-query-dev         the parser of SQL, from PostgreSQL
run  libprotobuf-c-dev       the header of what it gives out
run  libsqlite3-dev          SQLite: tables and the scalars in them
run  libedit-dev             lines with history and completion in the SQL shell
run  pkg-config              finds libzip
run  bison                   parser of the .ein language
run  flex                    lexer of the .ein language
test libgtest-dev            unit tests
test libgmock-dev            matchers of the unit tests
test coinor-cbc              the optimum of small placements, to compare with
test python3                 lint, layer check and the case runners
test python3-numpy           expected results of the cases
test python3-pytest          runs the Python suites
test python3-hypothesis      draws random programs and SQL
test clang-format            layout of the sources
test groff                   formats the manual page
test zsh                     reads its completions
fuzz clang-14                libFuzzer is part of clang
fuzz libclang-rt-14-dev      its run-time library
fuzz lld                     links its large objects in a fraction of the time
lint clang-format            make fmt
lint clang-tidy              make tidy
lint clang-14                the compiler that clang-tidy reads with
'

needed_packages() {
  local wanted set package reason
  for wanted in "$@"; do
    while read -r set package reason; do
      [[ $set == "$wanted" ]] && echo "$package"
    done <<<"$packages"
  done | sort -u
}

missing_packages() {
  local installed
  # dpkg-query fails if it does not know one of the packages; what it prints about the others is still right.
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

install_packages() {
  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "missing packages: $*" >&2
      echo "install them as root: apt-get install $*" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "installing: $*" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >&2
}

[[ $# -gt 0 ]] || set -- run test
mapfile -t needed < <(needed_packages "$@")
if [[ ${#needed[@]} == 0 ]]; then
  echo "no packages in: $* (the sets are run, test, fuzz and lint)" >&2
  exit 2
fi
if ! command -v dpkg-query >/dev/null; then
  echo "not a Debian system; the build needs what these packages hold: ${needed[*]}" >&2
  exit 0
fi
mapfile -t missing < <(missing_packages "${needed[@]}")
[[ ${#missing[@]} == 0 ]] || install_packages "${missing[@]}"
