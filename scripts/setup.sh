# Sourced by ./run and ./test: what a fresh Debian or Ubuntu machine needs, installed or named.

say() { printf '%s\n' "$*" >&2; }

# ensure_packages PACKAGE...: installs what is missing where apt may, else names exactly that and stops.
ensure_packages() {
  local missing=()
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo); else as_root=(false); fi
  fi
  if ! command -v apt-get >/dev/null || [ "${as_root[0]:-}" = false ]; then
    say "missing packages, and no right to install them here. As root:"
    say "  apt-get install ${missing[*]}"
    exit 2
  fi
  say "installing: ${missing[*]}"
  # An old package list is enough more often than not; a new one is fetched where it is not.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null 2>&1 && return 0
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null || {
    say "apt-get install ${missing[*]} failed"
    exit 2
  }
}

# optional_packages WHAT PACKAGE...: the same, but where they cannot be had it says that WHAT is skipped, and goes on.
optional_packages() {
  local what=$1
  shift
  (ensure_packages "$@") || say "skipped: $what, for want of these packages"
}

# What the harness is built from and with.
build_packages=(git clang cmake ninja-build ccache nlohmann-json3-dev libbenchmark-dev libcli11-dev
  libboost-context-dev libtbb-dev python3 python3-venv)

gpu_is_visible() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; }

# nvcc on the PATH or where the toolkit puts it.
find_nvcc() {
  if command -v nvcc >/dev/null; then command -v nvcc; return; fi
  [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc
}

# configure_and_build PRESET TARGET... [-- CMAKE_ARGUMENT...]
configure_and_build() {
  local preset=$1
  shift
  local targets=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
  [ "${1:-}" = -- ] && shift
  local arguments=("$@")
  # clang counts for the CPU executor; another compiler builds an executor that is right and does not count.
  if command -v clang++ >/dev/null; then arguments+=(-DCMAKE_CXX_COMPILER=clang++); fi
  if command -v ccache >/dev/null; then
    # The presets' build folders, and other clones, compile the same sources.
    export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD"
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  if [ "$preset" = cuda ]; then arguments+=("-DCMAKE_CUDA_COMPILER=$(find_nvcc)"); fi
  cmake --preset "$preset" "${arguments[@]}" >"build-$preset.log" 2>&1 || {
    cat "build-$preset.log" >&2
    return 1
  }
  rm -f "build-$preset.log"
  cmake --build "build/$preset" --target "${targets[@]}" >&2
}

# The Python of analysis/, in an environment of its own.
ensure_analysis() {
  local stamp=.venv/requirements.stamp
  if [ ! -e "$stamp" ] || ! cmp -s analysis/requirements.txt "$stamp"; then
    say "setting up analysis/ (.venv)"
    python3 -m venv .venv && .venv/bin/pip install -q -r analysis/requirements.txt >&2 || return 1
    cp analysis/requirements.txt "$stamp"
  fi
}
