"""What stands round the rows of a made-up results file: context, config, plan, provenance and failures."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def document_of(
    rows: list[dict[str, Any]], config: dict[str, Any], revision: str, gpu: str
) -> dict[str, Any]:
    """The results document round those rows; of the cells without one, one was skipped and one is wrong."""
    text = json.dumps(config, sort_keys=True)
    return {
        "context": {
            "date": "2026-01-02T03:04:05+00:00",
            "host_name": "made-up",
            "executable": "harness",
            "num_cpus": 16,
            "mhz_per_cpu": 2400,
            "cpu_scaling_enabled": False,
            "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}],
            "load_avg": [0.1, 0.2, 0.3],
            "library_build_type": "release",
            "json_schema_version": 1,
            "git_revision": revision,
            "gpu": gpu,
            "driver": "580.159.04",
            "cuda": "13.0",
            "cccl": "3.0.1",
            "device": "cuda:0",
        },
        "benchmarks": rows,
        "tally": {
            "schema_version": 1,
            "title": config["title"],
            "config": config,
            "config_hash": hashlib.sha256(text.encode()).hexdigest()[:16],
            "command": "harness configs/made_up.json",
            "plan": {
                "cells": len({row["name"] for row in rows}) + 2,
                "left_out": 3,
                "problems": len({row["tally"]["problem"] for row in rows}),
            },
            "shard": {"index": 0, "count": 1},
            "provenance": {
                "git_revision": revision,
                "dirty": False,
                "compiler": "nvcc 13.0",
                "cuda": "13.0",
                "cccl": "3.0.1",
                "gpu": gpu,
                "gpu_uuid": "GPU-0",
                "driver": "580.159.04",
                "sm_count": 132,
                "started": "2026-01-02T03:04:05+00:00",
                "finished": "2026-01-02T04:04:05+00:00",
                "seed": 7,
            },
            "failures": [
                {
                    "cell": "reduce/korean_course/reduce0/op:sum/type:float32/n:1000003/cold/device",
                    "entry": "reduce/korean_course/reduce0",
                    "problem": "reduce/op:sum/type:float32/n:1000003",
                    "status": "skipped",
                    "reason": "needs power-of-two n",
                },
                {
                    "cell": "reduce/harris/v1_as_published/op:sum/type:float32/n:1024/cold/device",
                    "entry": "reduce/harris/v1_as_published",
                    "problem": "reduce/op:sum/type:float32/n:1024",
                    "status": "wrong",
                    "reason": "got 511 <want 523> & more",
                },
            ],
        },
    }
