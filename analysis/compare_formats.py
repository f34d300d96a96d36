"""A comparison as a person or a machine reads it: terminal, Markdown for a pull request, JUnit XML, JSON."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from analysis import units
from analysis.compare import INCONCLUSIVE, SAME, SLOWER, Comparison, Verdict
from analysis.facts import Change

_ORDER = {"slower": 0, "inconclusive": 1, "faster": 2, "same": 3}
_SIGN = {"slower": "✗", "inconclusive": "?", "faster": "✓", "same": "="}


def summary(comparison: Comparison) -> str:
    """One line: the answer and the counts behind it."""
    counts = ", ".join(f"{count} {name}" for name, count in comparison.counts.items() if count)
    facts = comparison.facts
    parts = [counts or "no times compared"]
    if facts.compared:
        parts.append(
            f"{facts.compared} counters and static facts equal"
            if not facts.changes
            else f"{len(facts.changes)} of {facts.compared} counters and static facts differ, "
            f"{len(comparison.worse_facts)} of them worse"
        )
    return f"{comparison.answer}: {'; '.join(parts)}"


def how(comparison: Comparison) -> str:
    """One line: by what rule."""
    floor = comparison.floor
    learned = f", noise floor {floor.typical:.2%} from {floor.pairs} rows of an A/A pair" if floor else ""
    return (
        f"delta {comparison.delta:.2%} (threshold {comparison.settings.threshold:.2%}{learned}); 95% "
        f"intervals by "
        f"hierarchical bootstrap; one-sided Mann-Whitney p, adjusted by Holm over "
        f"{len(comparison.verdicts)} rows, "
        f"alpha {comparison.settings.alpha:g}"
    )


def terminal(comparison: Comparison, everything: bool = False) -> str:
    """A plain table; rows that are the same are counted only, unless `everything`."""
    lines = [summary(comparison)]
    lines += [_obstacle(obstacle.text, obstacle.allowed, obstacle.kind) for obstacle in comparison.obstacles]
    lines += [f"note: {note}" for note in comparison.notes]
    shown = [verdict for verdict in worst_first(comparison) if everything or verdict.verdict != SAME]
    if shown:
        header = ("", "verdict", "base", "new", "change", "95% interval", "p", "row", "")
        table = [header, *(_cells(verdict) for verdict in shown)]
        widths = [max(len(line[column]) for line in table) for column in range(len(header))]
        lines += [
            "",
            *(
                "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
                for line in table
            ),
        ]
    if comparison.facts.changes:
        lines += ["", "counters and static facts that differ:"]
        lines += [
            f"  {change.verdict:<8}{change.fact}: {_value(change.base)} -> {_value(change.new)}  "
            f"{change.name}"
            for change in _sorted_changes(comparison)
        ]
    if comparison.verdicts:
        lines += ["", how(comparison)]
    return "\n".join(lines) + "\n"


def markdown(comparison: Comparison) -> str:
    """For a pull request's comment: the answer, what changed, and the rest folded away."""
    mark = {0: "✅", 1: "❌", 2: "⛔", 3: "❔"}[comparison.exit_code]
    lines = [f"### {mark} {summary(comparison)}", ""]
    lines += [
        f"- {_obstacle(_escaped(obstacle.text), obstacle.allowed, obstacle.kind)}"
        for obstacle in comparison.obstacles
    ]
    lines += [f"- {_escaped(note)}" for note in comparison.notes]
    changed = [verdict for verdict in worst_first(comparison) if verdict.verdict != SAME]
    unchanged = [verdict for verdict in comparison.verdicts if verdict.verdict == SAME]
    if changed:
        lines += ["", *_markdown_rows(changed)]
    if comparison.facts.changes:
        lines += ["", "| | counter or static fact | base | new | row |", "|---|---|--:|--:|---|"]
        lines += [
            f"| {change.verdict} | {_escaped(change.fact)} | {_value(change.base)} | {_value(change.new)} "
            f"| `{change.name}` |"
            for change in _sorted_changes(comparison)
        ]
    if unchanged:
        lines += [
            "",
            f"<details><summary>{len(unchanged)} the same</summary>",
            "",
            *_markdown_rows(unchanged),
            "",
            "</details>",
        ]
    if comparison.verdicts:
        lines += ["", f"<sub>{_escaped(how(comparison))}</sub>"]
    return "\n".join(lines) + "\n"


def junit(comparison: Comparison) -> str:
    """One test case a row: slower fails, inconclusive is skipped; one more for each changed fact and
    obstacle.
    """
    suite = ElementTree.Element("testsuite", name="tally compare")
    for verdict in comparison.verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname="times", name=verdict.name, time=f"{verdict.new:.9f}"
        )
        text = _sentence(verdict)
        if verdict.verdict == SLOWER:
            ElementTree.SubElement(case, "failure", type=SLOWER, message=text)
        elif verdict.verdict == INCONCLUSIVE:
            ElementTree.SubElement(case, "skipped", message=text)
        else:
            ElementTree.SubElement(case, "system-out").text = text
    for change in comparison.facts.changes:
        case = ElementTree.SubElement(
            suite, "testcase", classname="facts", name=f"{change.name}: {change.fact}"
        )
        text = f"{change.fact} {_value(change.base)} -> {_value(change.new)}"
        if change.verdict == "worse":
            ElementTree.SubElement(case, "failure", type="worse", message=text)
        else:
            ElementTree.SubElement(case, "system-out").text = text
    for obstacle in comparison.obstacles:
        case = ElementTree.SubElement(suite, "testcase", classname="comparable", name=obstacle.kind)
        if obstacle.allowed:
            ElementTree.SubElement(case, "system-out").text = f"allowed: {obstacle.text}"
        else:
            ElementTree.SubElement(case, "error", type="not comparable", message=obstacle.text)
    for label, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(label, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite)))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def as_json(comparison: Comparison) -> str:
    """Everything, for programs. Times in seconds; exit_code as the command returns it."""
    document: dict[str, Any] = {
        "schema_version": 1,
        "answer": comparison.answer,
        "exit_code": comparison.exit_code,
        "base": _file(comparison.base),
        "new": _file(comparison.new),
        "threshold": comparison.settings.threshold,
        "delta": comparison.delta,
        "alpha": comparison.settings.alpha,
        "seed": comparison.settings.seed,
        "counts": comparison.counts,
        "rows": [
            {
                "name": verdict.name,
                "verdict": verdict.verdict,
                "base_seconds": verdict.base,
                "new_seconds": verdict.new,
                "ratio": verdict.ratio,
                "ci": [verdict.low, verdict.high],
                "p": verdict.p,
                "delta": verdict.delta,
                "processes": list(verdict.processes),
                "note": verdict.note,
            }
            for verdict in comparison.verdicts
        ],
        "facts": [vars(change) for change in comparison.facts.changes],
        "facts_compared": comparison.facts.compared,
        "obstacles": [vars(obstacle) for obstacle in comparison.obstacles],
        "notes": comparison.notes,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _file(results: Any) -> dict[str, str]:
    return {
        "path": str(results.path),
        "sha256": results.sha256,
        "git_revision": results.fact("git_revision"),
        "gpu": results.fact("gpu"),
    }


def worst_first(comparison: Comparison) -> list[Verdict]:
    """The verdicts in the order in which a person wants them: slower, inconclusive, faster, same; the
    larger ratio first.
    """
    return sorted(
        comparison.verdicts, key=lambda verdict: (_ORDER[verdict.verdict], -verdict.ratio, verdict.name)
    )


def _sorted_changes(comparison: Comparison) -> list[Change]:
    return sorted(
        comparison.facts.changes, key=lambda change: ("worse", "changed", "better").index(change.verdict)
    )


def _cells(verdict: Verdict) -> tuple[str, ...]:
    return (
        _SIGN[verdict.verdict],
        verdict.verdict,
        units.seconds(verdict.base),
        units.seconds(verdict.new),
        units.change(verdict.ratio),
        _interval(verdict),
        _p(verdict.p),
        verdict.name,
        verdict.note,
    )


def _markdown_rows(verdicts: list[Verdict]) -> list[str]:
    lines = ["| | row | base | new | change | 95% interval | p |", "|---|---|--:|--:|--:|---|--:|"]
    for verdict in verdicts:
        note = f" ({_escaped(verdict.note)})" if verdict.note else ""
        lines.append(
            f"| {_SIGN[verdict.verdict]} {verdict.verdict}{note} | `{verdict.name}` | "
            f"{units.seconds(verdict.base)} "
            f"| {units.seconds(verdict.new)} | {units.change(verdict.ratio)} | {_interval(verdict)} | "
            f"{_p(verdict.p)} |"
        )
    return lines


def _sentence(verdict: Verdict) -> str:
    text = (
        f"{verdict.verdict}: {units.seconds(verdict.base)} -> {units.seconds(verdict.new)}, "
        f"{units.change(verdict.ratio)} ({_interval(verdict)}), p {_p(verdict.p)}"
    )
    return f"{text}; {verdict.note}" if verdict.note else text


def _interval(verdict: Verdict) -> str:
    return f"{units.change(verdict.low)} … {units.change(verdict.high)}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def _value(value: Any) -> str:
    if value is None:
        return "absent"
    return (
        f"{value:g}"
        if isinstance(value, float) and not value.is_integer()
        else str(int(value) if isinstance(value, float) else value)
    )


def _obstacle(text: str, allowed: bool, kind: str) -> str:
    return f"allowed: {text}" if allowed else f"not comparable: {text} (accept it with --allow {kind})"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
