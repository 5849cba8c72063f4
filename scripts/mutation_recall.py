"""Put every fault of tests/mutations into every program it fits, in every shape, and print what is found.

python scripts/mutation_recall.py                 all mutants: a table by rule, and those with trouble
python scripts/mutation_recall.py --code TFL001   the mutants of one rule
python scripts/mutation_recall.py --show TFL001   their text, up to --limit of them
python scripts/mutation_recall.py --limit 20      so many mutants of each mutation
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from mutations.catalogue import MUTATIONS
from mutations.engine import Place, mutant, places, sample
from mutations.measure import Outcome, judge, table, troubles
from mutations.programs import FIXTURES, Program, programs_of
from mutations.shapes import SHAPES


@cache
def _programs() -> list[Program]:
    return list(programs_of(FIXTURES))


def _places(number: int, shape: str | None, limit: int | None) -> list[Place]:
    """The places of a mutation: all, or some in different programs and shapes."""
    if limit is not None:
        return sample(MUTATIONS[number], _programs(), limit)
    return [p for p in places(MUTATIONS[number], _programs()) if shape in {None, p.shape.name}]


def _outcomes(number: int, shape: str | None, limit: int | None) -> list[Outcome]:
    return [judge(place) for place in _places(number, shape, limit)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", help="only the mutations of this rule")
    parser.add_argument("--show", help="print mutants of this rule")
    parser.add_argument("--limit", type=int, help="so many mutants of each mutation")
    parser.add_argument("--shape", choices=[shape.name for shape in SHAPES], help="only mutants of this shape")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    wanted = [
        i for i, m in enumerate(MUTATIONS) if m.code in {asked.code, asked.show} or not (asked.code or asked.show)
    ]
    if asked.show:
        for place in (p for i in wanted for p in _places(i, asked.shape, asked.limit)):
            print(f"# {place.name}\n{mutant(place).text}\n")
        return
    _programs()
    with ProcessPoolExecutor(asked.jobs) as pool:
        each = list(pool.map(_outcomes, wanted, repeat(asked.shape), repeat(asked.limit)))
    outcomes = [outcome for found in each for outcome in found]
    print(troubles(outcomes))
    print(table(outcomes))
    empty = [MUTATIONS[i].name for i, found in zip(wanted, each, strict=True) if not found]
    if empty:
        print("without a place:", "; ".join(empty))


if __name__ == "__main__":
    main()
