"""LaTeX booktabs tables (packages booktabs; pdfLaTeX, XeLaTeX and LuaLaTeX all take them)."""

from __future__ import annotations

import re

import pandas as pd

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"$\mu$",
    "×": r"$\times$",
    "–": "--",
    "…": r"\dots{}",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "Σ": r"$\Sigma$",
    "·": r"$\cdot$",
    "→": r"$\to$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escaped(text: str) -> str:
    """Plain text as LaTeX; '2^20' becomes a power."""
    pieces = re.split(r"\b2\^(\d+)", text)
    return "".join(
        f"$2^{{{piece}}}$" if index % 2 else "".join(_SPECIAL.get(letter, letter) for letter in piece)
        for index, piece in enumerate(pieces)
    )


def booktabs(table: pd.DataFrame, caption: str, label: str = "") -> str:
    """A `table` environment; columns whose texts are numbers are set flush right."""
    columns = "".join("r" if _numeric(table[name]) else "l" for name in table.columns)
    lines = [r"\begin{table}", r"  \centering", f"  \\caption{{{escaped(caption)}}}"]
    if label:
        lines.append(f"  \\label{{tab:{label}}}")
    lines += [
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(escaped(str(name)) for name in table.columns) + r" \\",
        r"    \midrule",
    ]
    lines += [
        "    " + " & ".join(escaped(str(value)) for value in row) + r" \\"
        for row in table.itertuples(index=False)
    ]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def _numeric(column: pd.Series) -> bool:
    texts = [str(value).strip() for value in column]
    return all(re.fullmatch(r"[-+–<]?[\d.,\s]*(\s?%)?(×)?(\s?[µmn]?s)?", text) is not None for text in texts)
