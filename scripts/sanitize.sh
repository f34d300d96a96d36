#!/usr/bin/env bash
# scripts/sanitize.sh [HARNESS] [N]: compute-sanitizer's four tools over one checked call of every variant on the GPU: at
# an odd size of floats and of halves, and at the power of two above it. Clean is what every variant must be that is not
# marked known wrong; of those it is shown what the tools see.
set -uo pipefail
harness=${1:-build/cuda/harness}
n=${2:-1003}
for program in compute-sanitizer "$harness"; do
  command -v "$program" >/dev/null || { echo "sanitize.sh: there is no $program" >&2; exit 2; }
done
power=1
while ((power < n)); do power=$((2 * power)); done
status=0
for tool in memcheck racecheck synccheck initcheck; do
  for question in "$n float32" "$n float16" "$power float32"; do
    read -r size type <<<"$question"
    log=$(mktemp)
    if compute-sanitizer --tool "$tool" --error-exitcode 9 "$harness" --call '*/*/*' --n "$size" --type "$type" >"$log" 2>&1; then
      echo "$tool, n = $size, $type: clean ($(grep -c ': right$' "$log") variants called)"
    else
      status=1
      echo "$tool, n = $size, $type: NOT clean"
      grep -E '=========|WRONG|FAILED' "$log" | head -40
    fi
    rm -f "$log"
  done
done
for known_wrong in $("$harness" --list | awk '/known wrong/ {print $1}'); do
  log=$(mktemp)
  compute-sanitizer --tool racecheck "$harness" --call "$known_wrong" --n "$n" >"$log" 2>&1
  echo "racecheck on $known_wrong (known wrong): $(grep 'RACECHECK SUMMARY' "$log" | sed 's/=* *//')"
  rm -f "$log"
done
exit $status
