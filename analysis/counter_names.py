"""Nsight Compute's names of counters in a few words, for headings; the files keep the names themselves."""

from __future__ import annotations

_WORDS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors loaded",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors stored",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors a load",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors a store",
    "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum": "bytes loaded",
    "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum": "bytes stored",
    "smsp__inst_executed_op_shared_ld.sum": "shared loads",
    "smsp__inst_executed_op_shared_st.sum": "shared stores",
    "smsp__inst_executed_op_shared_atom.sum": "shared atomics",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared load wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared store wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": "shared atomic wavefronts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "bank conflicts of loads",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "bank conflicts of stores",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum": "bank conflicts of atomics",
    "launch__shared_mem_per_block_dynamic": "dynamic shared bytes",
    "launch__shared_mem_per_block_static": "static shared bytes",
}


def in_words(name: str) -> str:
    """'launch__shared_mem_per_block_static' -> 'static shared bytes'; 'active_lanes' -> 'active lanes'."""
    return _WORDS.get(name, name if "__" in name else name.replace("_", " "))
