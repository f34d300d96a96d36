"""Numbers as a person reads them: times, sizes, rates, ratios."""

from __future__ import annotations

import math


def seconds(value: float) -> str:
    """3.55e-06 -> '3.55 µs': three significant digits and the unit that suits."""
    if not math.isfinite(value):
        return "–"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if value >= factor * 0.9995 or unit == "ns":
            return f"{digits(value / factor)} {unit}"
    raise AssertionError("not reached")


def digits(value: float, count: int = 3) -> str:
    """`count` significant digits, never in exponent form; whole numbers keep all of theirs."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{count - 1}e}")
    decimals = max(count - 1 - math.floor(math.log10(abs(rounded))), 0)
    return f"{value:.{decimals}f}"


def microseconds(value: float) -> str:
    """A time in µs without its unit, for columns that name it."""
    return digits(value * 1e6, 4)


def rate(value: float) -> str:
    """Bytes a second -> '4.55 TB/s'."""
    if not math.isfinite(value):
        return "–"
    for factor, unit in ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s")):
        if value >= factor or unit == "MB/s":
            return f"{digits(value / factor)} {unit}"
    raise AssertionError("not reached")


def amount(value: float, unit: str) -> str:
    """A figure in its source's unit, with a prefix where that reads better: '640 M cycles', '9.3 MB/s'."""
    if unit == "cycles":
        for factor, prefix in ((1e6, "M "), (1e3, "K ")):
            if value >= factor:
                return f"{value / factor:g} {prefix}{unit}"
    if unit == "GB/s" and value < 1:
        value, unit = value * 1000, "MB/s"
    return f"{value:g} {unit.replace('us', 'µs')}"


def size(n: int) -> str:
    """A power of two as '2^20', any other size in full."""
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else f"{n:,}".replace(",", " ")


def percent(value: float) -> str:
    """A fraction as '97 %'."""
    return f"{100 * value:.0f} %" if math.isfinite(value) else "–"


def ratio(value: float) -> str:
    """'1.25' for a ratio; one digit of those that two decimals would make zero."""
    if not math.isfinite(value):
        return "–"
    if 0 < value < 0.0095:
        return digits(value, 1)
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def change(value: float) -> str:
    """A ratio new/base as a signed change: 1.03 -> '+3.0 %'."""
    return f"{100 * (value - 1):+.1f} %" if math.isfinite(value) else "–"
