"""Small charts as SVG, coloured by the style sheet of the page that holds them."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 360, 150
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 8, 22
BAR_HEIGHT = 16
NAME_WIDTH = 190
BINS = 16


def histogram(values: Sequence[float], title: str, bins: int = BINS) -> str:
    """How often values occur, in up to `bins` equal steps from the lowest to the highest."""
    lowest, highest = min(values), max(values)
    step = max((highest - lowest) / bins, 1e-9)
    counts = [0] * bins
    for value in values:
        counts[min(int((value - lowest) / step), bins - 1)] += 1
    return columns({f"{lowest + step * i:.3g}": count for i, count in enumerate(counts)}, title)


def columns(counts: Mapping[str, float], title: str) -> str:
    """One upright bar for each entry."""
    top = max(counts.values(), default=0) or 1
    width = (WIDTH - LEFT - RIGHT) / max(len(counts), 1)
    parts = [_axis(f"{top:g}", "0")]
    every = max(1, math.ceil(len(counts) / 8))
    for index, (name, count) in enumerate(counts.items()):
        height = (HEIGHT - TOP - BOTTOM) * count / top
        x, y = LEFT + index * width, HEIGHT - BOTTOM - height
        shown = f"{name}: {count:g}"
        parts.append(
            f'<rect class="bar" x="{x + 1:.1f}" y="{y:.1f}" width="{max(width - 2, 1):.1f}" height="{height:.1f}">'
            f"<title>{escape(shown)}</title></rect>"
        )
        if index % every == 0:
            parts.append(_text(x + width / 2, HEIGHT - 6, name[:10], "middle"))
    return _svg(title, WIDTH, HEIGHT, parts)


def curves(series: Mapping[str, Sequence[float]], title: str) -> str:
    """One line for each series over its steps; what is not finite is left out."""
    values = [value for line in series.values() for value in line if math.isfinite(value)]
    if not values:
        return ""
    lowest, highest = min(*values, 0.0), max(values)
    span = (highest - lowest) or 1.0
    longest = max(len(line) for line in series.values())
    parts = [_axis(f"{highest:.3g}", f"{lowest:.3g}")]
    for index, (name, line) in enumerate(series.items()):
        points = " ".join(
            f"{LEFT + (WIDTH - LEFT - RIGHT) * i / max(longest - 1, 1):.1f},"
            f"{TOP + (HEIGHT - TOP - BOTTOM) * (highest - value) / span:.1f}"
            for i, value in enumerate(line)
            if math.isfinite(value)
        )
        parts.append(f'<polyline class="line line{index}" points="{points}"><title>{escape(name)}</title></polyline>')
        parts.append(_text(WIDTH - RIGHT, TOP + 12 + 14 * index, name, "end", f"key line{index}"))
    parts.append(_text(LEFT, HEIGHT - 6, "step 1", "start"))
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 6, f"step {longest}", "end"))
    return _svg(title, WIDTH, HEIGHT, parts)


def rows(values: Mapping[str, float], title: str) -> str:
    """One lying bar for each entry, on a logarithmic scale from the smallest to the largest that is not zero."""
    positive = [value for value in values.values() if value > 0 and math.isfinite(value)]
    if not positive:
        return ""
    low, high = math.log10(min(positive)) - 0.3, math.log10(max(positive))
    height = BAR_HEIGHT * len(values) + 6
    width, parts = NAME_WIDTH + 300, []
    for index, (name, value) in enumerate(values.items()):
        y = index * BAR_HEIGHT + 3
        share = (math.log10(value) - low) / ((high - low) or 1.0) if value > 0 else 0.0
        shown = f"{name}: {value:.3g}"
        parts.append(_text(NAME_WIDTH - 6, y + 11, _end_of(name), "end"))
        parts.append(
            f'<rect class="bar" x="{NAME_WIDTH}" y="{y}" width="{max(share, 0) * 220:.1f}" height="{BAR_HEIGHT - 4}">'
            f"<title>{escape(shown)}</title></rect>"
        )
        parts.append(_text(NAME_WIDTH + 226, y + 11, f"{value:.2e}", "start"))
    return _svg(title, width, height, parts)


def _end_of(name: str) -> str:
    """The telling end of a weight's name."""
    parts = name.replace(":0", "").split("/")
    short = "/".join(parts[-3:])
    return short if len(short) <= 30 else "..." + short[-28:]


def _axis(top: str, bottom: str) -> str:
    line = f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    return line + _text(LEFT - 4, TOP + 8, top, "end") + _text(LEFT - 4, HEIGHT - BOTTOM, bottom, "end")


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}">'
    return f"{head}{''.join(parts)}</svg>"
