"""The entries of the made-up results files, how fast each would be, and what was published of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SIZES = [2**10, 2**14, 2**18, 2**20, 2**22, 2**24, 2**26, 2**28]
FLOOR, TICK = 2.78e-6, 32e-9
CARDS = {"NVIDIA H200": (4.6e12, 10e12, 50 << 20), "NVIDIA A100": (1.75e12, 5e12, 40 << 20)}
WIDTHS = {"float32": 4, "float64": 8, "int32": 4, "float16": 2}


@dataclass(frozen=True)
class Model:
    """launches and efficiency give the time; passes is how often the data is moved."""

    launches: float
    efficiency: float
    passes: float = 1.0
    tunings: tuple[dict[str, int], ...] = ({},)
    published: dict[str, float] = field(default_factory=dict)
    unit: str = "ms"
    published_n: int = 2**24
    device: str = "cuda"
    end_to_end: bool = False


def _grid(threads: Iterable[int], blocks: Iterable[int]) -> tuple[dict[str, int], ...]:
    return tuple({"threads": one, "blocks": other} for one in threads for other in blocks)


_ONE = ({"threads": 256, "blocks": 256},)
ENTRIES: dict[str, dict[str, Model]] = {
    "reduce": {
        "korean_course/reduce0": Model(20, 0.5, 4.0, _ONE, {"RTX 2070": 0.643, "RTX 3080": 0.569}),
        "korean_course/reduce1": Model(3, 0.6, 1.1, _ONE, {"RTX 2070": 0.197, "RTX 3080": 0.130}),
        "korean_course/reduce2": Model(2, 0.80, 1.0, _ONE, {"RTX 2070": 0.166, "RTX 3080": 0.113}),
        "korean_course/reduce3": Model(2, 0.82, 1.0, _ONE, {"RTX 2070": 0.166, "RTX 3080": 0.112}),
        "korean_course/reduce4": Model(
            2, 0.81, 1.0, _grid([256, 512], [128, 256, 512]), {"RTX 2070": 0.165, "RTX 3080": 0.113}
        ),
        "harris/v0": Model(2, 0.18, 1.0, ({"threads": 256},), {"A100 40 GB PCIe": 990.7}, "µs", 2**25),
        "harris/v1": Model(2, 0.30, 1.0, ({"threads": 256},), {"A100 40 GB PCIe": 479.6}, "µs", 2**25),
        "harris/v2": Model(2, 0.33, 1.0, ({"threads": 256},), {"A100 40 GB PCIe": 462.0}, "µs", 2**25),
        "harris/v3": Model(2, 0.55, 1.0, ({"threads": 256},), {"A100 40 GB PCIe": 244.2}, "µs", 2**25),
        "harris/v6": Model(2, 0.93, 1.0, ({"threads": 256},), {"A100 40 GB PCIe": 105.5}, "µs", 2**25),
        "hopper/one_launch": Model(1, 0.955, 1.0, _grid([128, 256, 512, 1024], [132, 264, 528, 1056])),
        "hopper/best": Model(1, 0.985),
        "cub/sum": Model(2, 0.93),
        "thrust/reduce": Model(2.4, 0.9, end_to_end=True),
    },
    "elementwise": {
        "oneflow_pack/naive": Model(1, 0.80, published={"A100": 298}, unit="µs", published_n=2**25),
        "oneflow_pack/packed": Model(1, 0.92, published={"A100": 284}, unit="µs", published_n=2**25),
        "cub/transform": Model(1.1, 0.97),
        "thrust/transform": Model(1.0, 0.9),
    },
    "scan": {
        "ladder/hillis_steele": Model(3, 0.3, 2),
        "ladder/blelloch": Model(3, 0.45),
        "ladder/look_back": Model(1, 0.8),
        "cub/inclusive_sum": Model(2, 0.75),
        "thrust/inclusive_scan": Model(2.5, 0.74),
    },
    "convolve": {
        "direct/global": Model(1, 0.5),
        "direct/tiled": Model(1, 0.8),
        "thrust/tabulate": Model(1, 0.2),
        "cufft/full": Model(5, 0.3),
    },
    "sum_of_squares": {
        f"geforce_8800gt/{name}": Model(
            1, efficiency, published={"GeForce 8800 GT": value}, unit=unit, published_n=2**20
        )
        for name, efficiency, value, unit in (
            ("one_thread", 2e-4, 9.3, "MB/s"),
            ("chunks", 0.02, 723, "MB/s"),
            ("coalesced", 0.05, 2.3, "GB/s"),
            ("blocks", 0.6, 40, "GB/s"),
            ("tree", 0.7, 43, "GB/s"),
            ("unrolled", 0.72, 44, "GB/s"),
        )
    },
}
KNOBS: dict[str, list[dict[str, Any]]] = {
    "reduce": [{"op": "sum"}],
    "scan": [{"inclusive": True}],
    "convolve": [{"taps": taps} for taps in (3, 16, 64, 256, 1024)],
}


@dataclass(frozen=True)
class Problem:
    """What every entry of a group shares; card: read bandwidth, L2 bandwidth, L2 bytes."""

    family: str
    type: str
    knobs: dict[str, Any]
    n: int
    cache: str
    clock: str
    card: tuple[float, float, int]

    @property
    def moved(self) -> int:
        return self.n * WIDTHS[self.type] * (1 if self.family in ("reduce", "sum_of_squares") else 2)

    @property
    def rate(self) -> float:
        read, l2, l2_bytes = self.card
        return l2 if self.cache == "warm" and self.moved < l2_bytes else read

    def seconds(self, short: str, model: Model, tuning: dict[str, int]) -> float:
        work = 1 + 0.004 * float(self.knobs.get("taps", 0)) if "cufft" not in short else 3.0
        pairs = zip(tuning.values(), (256, 264), strict=False)
        off = sum(abs(np.log2(value / best)) for value, best in pairs)
        moving = work * model.passes * self.moved / (self.rate * model.efficiency) * (1 + 0.03 * off)
        return FLOOR + 1.1e-6 * (model.launches - 1) + moving + (6e-6 if self.clock == "end_to_end" else 0.0)


@dataclass(frozen=True)
class Noise:
    random: np.random.Generator
    processes: int
    samples: int
    of_process: float
    of_sample: float

    def times(self, seconds: float) -> np.ndarray:
        """Processes x samples, in ticks of the clock."""
        between = self.random.normal(0, self.of_process, (self.processes, 1))
        within = self.random.normal(0, self.of_sample, (self.processes, self.samples))
        return np.maximum(np.round(seconds * np.exp(between + within) / TICK), 1) * TICK
