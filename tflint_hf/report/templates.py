"""Pages written by jinja2. Everything that is put into them is escaped, and shows the characters that hide."""

from __future__ import annotations

import importlib.resources

from tflint_hf import extras
from tflint_hf.report.style import printable


class MissingTemplateEngine(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """jinja2, which writes the page, is not installed."""


def check_engine() -> None:
    """Raises MissingTemplateEngine without jinja2."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingTemplateEngine(extras.missing("jinja2", "html")) from None


def page(template: str, **values: object) -> str:
    """The page that this template of the package makes of the values."""
    import jinja2
    from markupsafe import Markup

    def without_controls(value: object) -> object:
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    folder = importlib.resources.files(__package__)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=without_controls,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(**values)
