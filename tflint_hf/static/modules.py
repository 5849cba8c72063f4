"""The modules of the program itself: which file an import means, and executing it once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.source import SourceError, SourceKind, read_source
from tflint_hf.static.origins import Origins
from tflint_hf.static.parsing import ParsedSource, Unit, parse_source
from tflint_hf.static.scopes import Scope
from tflint_hf.static.statements import execute_all
from tflint_hf.static.values import Const, Module

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tflint_hf.source import Source
    from tflint_hf.static.machine import Machine

#: Libraries that are never taken from a folder of the project that happens to have their name.
LIBRARIES = frozenset(
    {"tensorflow", "transformers", "keras", "tf_keras", "datasets", "evaluate", "torch", "numpy", "pandas", "sklearn",
     "os", "sys", "json", "argparse", "logging", "math", "random", "functools", "dataclasses", "collections", "re",
     "pathlib", "typing", "time", "tqdm", "matplotlib", "huggingface_hub", "tokenizers", "typing_extensions"}
)  # fmt: skip


def own_names(paths: Iterable[Path]) -> frozenset[str]:
    """What these files are called in imports."""
    return frozenset(path.parent.name if path.stem == "__init__" else path.stem for path in paths) - LIBRARIES


class ProgramFiles:
    """The parsed files of a program, shared by all runs over it. Units are numbered through.

    A cell of a notebook that writes a file is that file, where there is none.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.units: list[Unit] = []
        self._parsed: dict[Path, tuple[ParsedSource, tuple[int, ...]] | None] = {}
        self._written: dict[Path, tuple[Path, ...]] = {}
        self.origins = Origins()

    def add(self, source: Source) -> ParsedSource:
        """Parse a source that is already at hand."""
        key = source.path.absolute()
        known = self._parsed.get(key)
        if known is not None:
            return known[0]
        parsed = parse_source(source)
        run: list[int] = []
        written: dict[Path, int] = {}
        for number, unit in enumerate(parsed.units, start=len(self.units)):
            if unit.module:
                written[key.parent / unit.module] = number
            else:
                run.append(number)
        self.units.extend(parsed.units)
        self._parsed[key] = (parsed, tuple(run))
        new = {path: number for path, number in written.items() if path not in self._parsed and not path.exists()}
        self._parsed.update({path: (parsed, (number,)) for path, number in new.items()})
        self._written[key] = tuple(new)
        return parsed

    def written_by(self, path: Path) -> tuple[Path, ...]:
        """The modules that the cells of a notebook write."""
        return self._written.get(path.absolute(), ())

    def units_of(self, path: Path) -> tuple[int, ...] | None:
        """The numbers of a file's units, None if there is no such file."""
        key = path.absolute()
        if key not in self._parsed:
            try:
                known = key.is_file() and key.is_relative_to(self.root)
                if known:
                    self.add(read_source(key, str(key)))
                else:
                    self._parsed[key] = None
            except (SourceError, OSError):
                self._parsed[key] = None
        found = self._parsed[key]
        return None if found is None else found[1]


class Modules:
    """The modules loaded in one run."""

    def __init__(self, files: ProgramFiles, entry: Path) -> None:
        self.files = files
        self.entry = entry
        self._loaded: dict[Path, Module] = {}

    def run_entry(self, machine: Machine) -> Module:
        """Execute the program as a script."""
        return self._execute(machine, self.entry, "__main__")

    def executed(self) -> Iterable[Path]:
        return self._loaded.keys()

    def shows(self, unit: int, node: cst.Expr) -> bool:
        """Whether the value of this statement is shown, as the last of a notebook's cell or a document's block."""
        text = self.files.units[unit]
        if text.source.kind is SourceKind.SCRIPT or text.module or not text.tree.body:
            return False
        last = text.tree.body[-1]
        return isinstance(last, cst.SimpleStatementLine) and last.body[-1] is node

    def find(self, machine: Machine, name: str, level: int, scope: Scope) -> Module | None:
        """The module that an import means, if it is one of the program's."""
        here = Path(scope.path).parent if scope.path else self.entry.parent
        if level:
            folder = here
            for _ in range(level - 1):
                folder = folder.parent
            return self._module_at(machine, folder, name) if name else self._package(machine, folder, folder.name)
        if not name or name.partition(".")[0] in LIBRARIES:
            return None
        for folder in dict.fromkeys((self.entry.parent, here, self.files.root, self.files.root / "src")):
            found = self._module_at(machine, folder, name)
            if found is not None:
                return found
        return None

    def find_below(self, machine: Machine, module: Module, name: str) -> Module | None:
        """`name` as a module inside the package `module`."""
        if not module.scope.path:
            return None
        path = Path(module.scope.path)
        folder = path.parent if path.name == "__init__.py" else path
        return self._module_at(machine, folder, name)

    def _module_at(self, machine: Machine, folder: Path, name: str) -> Module | None:
        stem = folder.joinpath(*name.split("."))
        for path in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
            if self.files.units_of(path) is not None:
                return self._execute(machine, path, name)
        return self._package(machine, stem, name)

    def _package(self, _machine: Machine, folder: Path, name: str) -> Module | None:
        """A folder without __init__.py, if it holds Python files."""
        init = folder / "__init__.py"
        if self.files.units_of(init) is not None:
            return self._execute(_machine, init, name)
        try:
            holds = folder.is_dir() and folder.is_relative_to(self.files.root) and any(folder.glob("*.py"))
        except OSError:
            return None
        if not holds:
            return None
        return Module(name, Scope(0, name, path=str(folder)))

    def _execute(self, machine: Machine, path: Path, name: str) -> Module:
        key = path.absolute()
        loaded = self._loaded.get(key)
        if loaded is not None:
            return loaded
        units = self.files.units_of(key) or ()
        scope = Scope(units[0] if units else 0, name, path=str(key))
        scope.names["__name__"] = Const(name)
        module = Module(name, scope)
        self._loaded[key] = module
        loops, machine.open_loops = machine.open_loops, 0
        depth, machine.depth = machine.depth, 0
        for unit in units:
            scope.unit = unit
            execute_all(machine, self.files.units[unit].tree.body, scope)
        machine.open_loops, machine.depth = loops, depth
        return module
