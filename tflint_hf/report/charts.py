"""Small charts as SVG, coloured by the style sheet of the page that holds them."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from tflint_hf.report.style import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 48, 10, 18, 24
BINS = 12
NAMED, COUNTED = 10, 12
"""Up to so many columns each has its name below it, and its count above it."""
SHORTEST = 0.04
"""The length of the shortest bar: the smallest value is not nothing."""
WIDEST = 60
LETTER = 6.2
"""The width of a letter, about."""


def histogram(values: Sequence[float], title: str, bins: int = BINS) -> str:
    """How often whole numbers occur, in up to `bins` equal steps from the lowest to the highest."""
    lowest, highest = int(min(values)), int(max(values))
    step = max(1, math.ceil((highest - lowest + 1) / bins))
    counts = [0] * ((highest - lowest) // step + 1)
    for value in values:
        counts[(int(value) - lowest) // step] += 1
    named: dict[str, float] = {}
    for index, count in enumerate(counts):
        start = lowest + step * index
        named[f"{start}" if step == 1 else f"{start}-{start + step - 1}"] = count
    return columns(named, title)


def columns(counts: Mapping[str, float], title: str) -> str:
    """One upright bar for each entry."""
    top = max(counts.values(), default=0) or 1
    width = (WIDTH - LEFT - RIGHT) / max(len(counts), 1)
    gap = max(min(2.0, width / 4), (width - WIDEST) / 2)
    parts = [_axis(f"{top:g}", "0")]
    longest = max((len(name) for name in counts), default=1)
    every = max(1, math.ceil(len(counts) / NAMED), math.ceil(min(longest, 12) * LETTER / width))
    for index, (name, count) in enumerate(counts.items()):
        height = (HEIGHT - TOP - BOTTOM) * count / top
        x, y = LEFT + index * width, HEIGHT - BOTTOM - height
        parts.append(
            f'<rect class="bar" x="{x + gap:.1f}" y="{y:.1f}" width="{max(width - 2 * gap, 1):.1f}"'
            f' height="{height:.1f}"><title>{_shown(f"{name}: {count:g}")}</title></rect>'
        )
        if len(counts) <= COUNTED and width > len(f"{count:g}") * LETTER:
            parts.append(_label(x + width / 2, y - 3, f"{count:g}", "middle"))
        if index % every == 0:
            parts.append(_label(x + width / 2, HEIGHT - 7, _cut(name, 12), "middle"))
    return _svg(title, parts)


def curves(series: Mapping[str, Sequence[float]], title: str, levels: Mapping[str, float] | None = None) -> str:
    """One line for each series over its steps, and a dashed one at each level; what is not finite is left out."""
    values = [value for line in series.values() for value in line if math.isfinite(value)]
    if not values:
        return ""
    levels = {name: value for name, value in (levels or {}).items() if math.isfinite(value)}
    values.extend(levels.values())
    lowest, highest = min(*values, 0.0), max(values)
    span = (highest - lowest) or 1.0
    longest = max(len(line) for line in series.values())

    def x(step: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / max(longest - 1, 1)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (highest - value) / span

    parts = [_axis(f"{highest:.3g}", f"{lowest:.3g}")]
    for name, value in levels.items():
        parts.append(f'<path class="level" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        below = y(value) < TOP + 14
        parts.append(_label(WIDTH - RIGHT, y(value) + (11 if below else -4), name, "end"))
    for index, line in enumerate(series.values()):
        points = [(x(step), y(value)) for step, value in enumerate(line) if math.isfinite(value)]
        if len(points) == 1:
            parts.append(f'<circle class="dot line{index}" cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3"/>')
            continue
        path = " ".join(f"{one:.1f},{other:.1f}" for one, other in points)
        parts.append(f'<polyline class="line line{index}" points="{path}"/>')
    parts.append(_label(LEFT, HEIGHT - 7, "step 1", "start"))
    if longest > 1:
        parts.append(_label(WIDTH - RIGHT, HEIGHT - 7, f"step {longest}", "end"))
    return _svg(title, parts)


def logarithmic(values: Mapping[str, float]) -> dict[str, float]:
    """How long the bar of each value is, from 0 to 1, on a logarithmic scale from the smallest that is not zero."""
    positive = [math.log10(value) for value in values.values() if value > 0 and math.isfinite(value)]
    low, high = min(positive, default=0.0), max(positive, default=0.0)

    def share(value: float) -> float:
        if value <= 0 or not math.isfinite(value):
            return 0.0
        return SHORTEST + (1 - SHORTEST) * (math.log10(value) - low) / (high - low) if high > low else 1.0

    return {name: share(value) for name, value in values.items()}


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _shown(text: str) -> str:
    return escape(printable(text))


def _axis(top: str, bottom: str) -> str:
    line = f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    return line + _label(LEFT - 5, TOP + 8, top, "end") + _label(LEFT - 5, HEIGHT - BOTTOM, bottom, "end")


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_shown(text)}</text>'


def _svg(title: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(printable(title), quote=True)}">'
    return f"{head}{''.join(parts)}</svg>"
