#!/usr/bin/env bash
# scripts/collect_counters.sh HARNESS OUT [SECONDS]: what the GPU's own counters say of one call of each variant that the
# table of scripts/compare_counters.py has. Needs a GPU and ncu. Leaves OUT/counters_ncu.csv.gz (Nsight Compute's rows, one
# a launch) and OUT/counters_calls.csv (which process was which call). Begins no call after SECONDS (default 600).
set -uo pipefail

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum

# Series (a regular expression) and the sizes: an even one, and one that is odd and no multiple of anything. The one-block
# scans take no more than a block's worth.
calls=(
  'reduce/(korean_course|divergence|pairings|harris)/.* 65536 65519'
  'reduce/harris/v6 65536 65536 65536 65536' # again: a figure that changes from call to call is no count of addresses
  'sum_of_squares/geforce_8800gt/.* 65536 65519'
  'elementwise/oneflow_pack/.* 65536 65519'
  'upsample_nearest2x/oneflow_nearest2x/.* 65536 65519'
  'scan/ladder/(hillis_steele|blelloch|blelloch_padded) 1024 1013'
  'scan/ladder/(three_kernels|decoupled_look_back) 65536 65519'
  'dot/half_atomics/.* 65536 65519'
)

# Entry and type: float32 where the variant takes it.
entries_of() {
  "$harness" --list | awk -v wanted="^$1\$" '
    $2 == "variant" && $3 ~ /cuda/ && $1 ~ wanted {
      type = "," $4 ","
      if (type ~ /,float32,/) type = "float32"; else { split($4, types, ","); type = types[1] }
      print $1, type
    }'
}

if [ "${1:-}" = --calls ]; then # under ncu: one process a call, which tells the rows apart
  harness=$2 out=$3 seconds=$4
  echo "process,entry,n,type,exit" >"$out/counters_calls.csv"
  for call in "${calls[@]}"; do
    read -r series sizes <<<"$call"
    entries_of "$series" | while read -r entry type; do
      for n in $sizes; do
        [ "$SECONDS" -lt "$seconds" ] || { echo "no time left for $entry n = $n" >&2; continue; }
        "$harness" --call "$entry" --n "$n" --type "$type" >"$out/call.log" 2>&1 </dev/null &
        process=$!
        wait "$process"
        code=$?
        echo "$process,$entry,$n,$type,$code" >>"$out/counters_calls.csv"
        grep -hE 'not called|WRONG|harness:' "$out/call.log"
      done
    done
  done
  rm -f "$out/call.log"
  exit 0
fi

harness=${1:?usage: scripts/collect_counters.sh HARNESS OUT [SECONDS]} out=${2:?an output folder is missing}
mkdir -p "$out"
ncu --target-processes all --clock-control none --nvtx --nvtx-include "tally/" --csv --page raw --metrics "$metrics" \
  --log-file "$out/counters_ncu.csv" bash "$0" --calls "$harness" "$out" "${3:-600}" || exit 1
rows=$(grep -c '^"[0-9]' "$out/counters_ncu.csv")
gzip -9nf "$out/counters_ncu.csv"
echo "$rows launches of $(($(wc -l <"$out/counters_calls.csv") - 1)) calls counted"
[ "$rows" -gt 0 ]
