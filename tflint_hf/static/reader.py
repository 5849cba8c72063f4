"""Reading a program: executing its entries, then the functions that nothing called."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst
from packaging.version import Version

from tflint_hf.static import calls, expressions, statements
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.keras_choice import KerasChoice

# The models of libraries register themselves when they are imported.
from tflint_hf.static.library import (  # noqa: F401
    arrays,
    builtin_functions,
    configuration,
    containers,
    encodings,
    feed_steps,
    feeds,
    hub_data,
    hub_methods,
    keras_callbacks,
    keras_models,
    label_encoders,
    layers,
    losses,
    metrics,
    model_state,
    optimizers,
    output_readers,
    precision,
    predictions,
    pretrained,
    saving,
    seeds,
    splitting,
    strategies,
    tables,
    text,
    training,
    training_loops,
)
from tflint_hf.static.library.feeds import note_leaving
from tflint_hf.static.machine import MAX_STEPS_IN_ALL, MAX_STEPS_UNCALLED, Machine
from tflint_hf.static.modules import Modules, ProgramFiles
from tflint_hf.static.scopes import Scope
from tflint_hf.static.values import Class, Function
from tflint_hf.trace.guards import NO_GUARDS
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tflint_hf.target import Target

TWO_KERAS = Version("2.16")
KNOWS_KERAS_3 = Version("4.35")
MAX_ROUNDS = 4


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """One entry's execution."""

    machine: Machine
    entry: Path


def make_machine(files: ProgramFiles, entry: Path, target: Target) -> Machine:
    # A release of transformers from before Keras 3 says that the TensorFlow beside it is as old.
    single = target.tensorflow.release < TWO_KERAS.release or target.transformers.release < KNOWS_KERAS_3.release
    keras = KerasChoice(single=single, variable=target.legacy_keras_env)
    return Machine(
        target=target,
        modules=Modules(files, entry),
        evaluate=expressions.evaluate,
        execute=statements.execute,
        keras=keras,
    )


def read_program(
    files: ProgramFiles,
    entries: Sequence[tuple[Path, Target, bool]],
    retarget: Callable[[Path, Sequence[str]], Target] | None = None,
) -> list[tuple[Trace, Target]]:
    """The traces of a program: one for each entry, which also holds what its files define and nothing calls.

    `entries` are the files to execute as scripts, importing files before imported ones; the flag of an entry says
    whether it is executed even if an earlier one has imported it. `retarget` gives the target of a file that installs
    libraries itself, from its install commands.
    """
    runs: list[Run] = []
    covered: set[int] = set()
    seen: set[Path] = set()
    for entry, target, even_if_imported in entries:
        if entry.absolute() in seen and not even_if_imported:
            continue
        machine = make_machine(files, entry, target)
        _guarded(machine.modules.run_entry, machine)
        if machine.installs and retarget is not None:
            machine = make_machine(files, entry, retarget(entry, machine.installs))
            _guarded(machine.modules.run_entry, machine)
        seen.update(machine.modules.executed())
        runs.append(Run(machine, entry))
        covered |= machine.entered
        for module in files.written_by(entry):
            # What the notebook does not import it starts as a program of its own, as far as can be seen.
            if module not in seen:
                started = make_machine(files, module, target)
                _guarded(started.modules.run_entry, started)
                seen.update(started.modules.executed())
                runs.append(Run(started, module))
                covered |= started.entered
    for run in runs:
        _guarded(_run_uncalled, run.machine, covered)
    return [(Trace(tuple(run.machine.events)), run.machine.target) for run in runs]


def _guarded(step: Callable[..., object], *arguments: object) -> None:
    """What was read before a program outgrew the interpreter's stack still counts."""
    with suppress(RecursionError):
        step(*arguments)


def _run_uncalled(machine: Machine, covered: set[int]) -> None:
    """Execute the functions and methods that no entry reached, with unknown arguments."""
    machine.guards = NO_GUARDS
    for _ in range(MAX_ROUNDS):
        waiting = [f for f in machine.functions if id(f.node) not in covered]
        classes = [c for c in machine.classes if _has_uncalled(c, covered)]
        if not waiting and not classes:
            return
        for function in waiting:
            covered.add(id(function.node))
            _fresh_budget(machine)
            result = calls.call_function(machine, function, [], {}, function.node, function.scope)
            note_leaving(machine, [result], Place(function.unit, function.node))
            covered |= machine.entered
        for cls in classes:
            _run_methods(machine, cls, covered)


def _has_uncalled(cls: Class, covered: set[int]) -> bool:
    return any(isinstance(m, Function) and id(m.node) not in covered for m in cls.members.values())


def _run_methods(machine: Machine, cls: Class, covered: set[int]) -> None:
    _fresh_budget(machine)
    scope = Scope(cls.unit, cls.scope.module, cls.scope, path=cls.scope.path)
    instance = machine.instances.get(id(cls.node))
    if instance is None:
        made = calls.instantiate(machine, cls, Arguments(open=True), cls.node, scope)
        instance = machine.instances.get(id(cls.node))
        if instance is None or not made.known:
            return
    covered |= machine.entered
    for name, member in list(cls.members.items()):
        if isinstance(member, Function) and id(member.node) not in covered and isinstance(member.node, cst.FunctionDef):
            covered.add(id(member.node))
            if name in {"call", "__init__"}:
                continue
            _fresh_budget(machine)
            result = calls.call_function(machine, member, [instance], {}, member.node, scope)
            note_leaving(machine, [result], Place(cls.unit, member.node))
            covered |= machine.entered


def _fresh_budget(machine: Machine) -> None:
    """Each uncalled function has a budget of its own, so that one of them cannot starve the others."""
    machine.limit = min(machine.steps + MAX_STEPS_UNCALLED, MAX_STEPS_IN_ALL)
    machine.run += 1
    machine.guards = NO_GUARDS
