"""What one folder or one package brings, before it is joined with other rules."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.checks.fault import checks_in
from tflint_hf.discovery import display_path
from tflint_hf.findings import ScanError
from tflint_hf.rule_files import OWN_CODE, RuleFileError, read_rule
from tflint_hf.rules import without_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tflint_hf.checks.fault import Check
    from tflint_hf.rules import Rule

FIXTURES = "fixtures"
PAGE = """\
## What it does
Finds: {message}.

## Why it is bad
{why}

## Example
<bad>

## Use instead
{advice}

<good>
"""

PACKAGE_OF_A_FOLDER = "_tflint_hf_rules_"
"""What the name of the package begins with as which the modules of a folder are imported."""

DEFAULTS = {
    "confidence": "likely",
    "applies": {},
    "fix": "none",
    "probe": "none",
    "probe_reason": "it is not known what a run would show of it",
    "options": {},
    "page": PAGE,
}
"""What a file of such a rule need not say."""


@dataclass(frozen=True, eq=False, slots=True)
class Bundle:
    """The rules of one origin with their functions, and what of it could not be loaded. `home` is their real folder."""

    origin: str
    rules: tuple[Rule, ...] = ()
    checks: Mapping[str, Check] | None = None
    failures: tuple[ScanError, ...] = ()
    home: str = ""


def rule_files_in(folder: Path) -> list[Path]:
    """The YAML files of rules in a folder and in the folders in it, but for its fixtures."""
    found = (path for pattern in ("*.yaml", "*.yml", "*/*.yaml", "*/*.yml") for path in folder.glob(pattern))
    return sorted(path for path in found if not path.relative_to(folder).as_posix().startswith((f"{FIXTURES}/", ".")))


def modules_in(folder: Path) -> list[Path]:
    """The Python files directly in a folder that may have functions of rules: they speak of this tool.

    In a folder that does not describe any rule there are none: nobody wants all scripts of a folder to be run.
    """
    if not rule_files_in(folder):
        return []
    paths = (path for path in folder.glob("*.py") if "." not in path.stem and path.stem != "__init__")
    return sorted(path for path in paths if path.is_file() and b"tflint_hf" in path.read_bytes())


def read_bundle(origin: str, folder: Path, package: str, *, packaged: bool) -> Bundle:
    """The rules whose files lie in a folder and whose functions are in the modules of an importable package there."""
    home = os.path.realpath(folder)
    files = rule_files_in(folder)
    if not files:
        nothing = ScanError(display_path(folder), "no YAML file in it describes a rule")
        return Bundle(origin, failures=(nothing,), home=home)
    failures: list[ScanError] = []
    for path in modules_in(folder):
        failures += imported(f"{package}.{path.stem}", display_path(path))
    all_imported = not failures
    functions, wrong = checks_in(package)
    failures += [ScanError(display_path(folder), f"{error}: it is left out") for error in wrong]
    rules: dict[str, Rule] = {}
    for path in files:
        try:
            rule = read_rule(path, OWN_CODE, folder.name if path.parent == folder else None, DEFAULTS)
        except RuleFileError as error:
            failures.append(ScanError(display_path(path), f"{error.problem}: this rule is left out"))
            continue
        if any(one.name == rule.name or one.code == rule.code for one in rules.values()):
            failures.append(ScanError(display_path(path), "another file has its code or name: this rule is left out"))
        elif rule.code in functions:
            rules[rule.code] = replace(rule, origin=origin, home=home, packaged=packaged, page=_page(rule))
        elif all_imported and not wrong:
            missing = f'no module in {display_path(folder)} has a function with @check("{rule.code}")'
            failures.append(ScanError(display_path(path), f"{missing}: this rule is left out"))
    if not failures and (idle := [code for code in functions if code not in rules]):
        failures.append(ScanError(display_path(folder), f"{idle[0]} has a function, but no file that describes it"))
    checks = {code: one for code, one in functions.items() if code in rules}
    return Bundle(origin, tuple(rules.values()), checks, tuple(failures), home)


def _page(rule: Rule) -> str:
    """The page of a rule, of its own words where its file has none."""
    if rule.page != PAGE.strip():
        return rule.page
    words = {"message": rule.message, "why": rule.why, "advice": rule.advice}
    return PAGE.format_map({name: without_values(text) for name, text in words.items()}).strip()


def imported(module: str, shown: str) -> list[ScanError]:
    """Import a module of rules. What it prints goes to standard error; what it raises is told."""
    return attempted(lambda: importlib.import_module(module), shown)


def attempted(action: Callable[[], object], shown: str) -> list[ScanError]:
    """Do what runs code of somebody else, and tell what it raises. The working directory stays what it was."""
    here = Path.cwd()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            action()
    except (Exception, SystemExit) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        said = re.sub(PACKAGE_OF_A_FOLDER + r"\w{16}", Path(shown).parent.name, said)
        where = raised_in(Path(shown).resolve().parent, error)
        return [ScanError(shown, f"its rules are left out: {type(error).__name__}: {said}{where}")]
    finally:
        os.chdir(here)
    return []


def failed(rule: Rule, shown: str, error: BaseException) -> ScanError:
    """What is said of a rule whose function failed on a program, with the line of the rule's own files."""
    trouble = f"the rule {rule.code} failed: {type(error).__name__}: {error}"
    return ScanError(shown, trouble + raised_in(Path(rule.home), error))


def raised_in(folder: Path, error: BaseException) -> str:
    """The line of the files in a folder that an exception came from, as it stands in a message; empty for none."""
    frames = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    own = [(path, line) for path, line in frames if folder in Path(path).resolve().parents]
    return f" ({display_path(Path(own[-1][0]))}, line {own[-1][1]})" if own else ""
