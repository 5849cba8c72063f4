"""The reports of a run, in all forms: made from recorded messages, without TensorFlow."""

from __future__ import annotations

import itertools
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from report_samples import judged
from rich.cells import cell_len
from run_samples import PROGRAMS, Sample, cut_short, made, recorded, sample, training

import tflint_hf
from tflint_hf.cli import main
from tflint_hf.dynamic.runner import Ended
from tflint_hf.extras import install_command
from tflint_hf.findings import Outcome, Verdict
from tflint_hf.report import charts, run_html, run_json, run_text, text
from tflint_hf.report.run_words import decoded, failure, number, shortened
from tflint_hf.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = sorted(PROGRAMS)
SCHEMA = json.loads((Path(tflint_hf.__file__).parent / "report" / "findings.schema.json").read_text(encoding="utf-8"))
HOSTILE = '</p><script>alert("x")</script> & <img src=x onerror=y> \x1b[31m \u202e 映画 🎬 \x00'


def shown(said: Sample, width: int = 120, *, color: bool = False) -> str:
    return run_text.render_run(said.confirmation, Style(color=color, width=width))


def page(said: Sample) -> str:
    return run_html.render(said.result, said.confirmation)


def everywhere(said: Sample) -> list[str]:
    """The run in all its forms."""
    return [shown(said), shown(said, 30), page(said), run_json.render(said.result, said.confirmation)]


def killed() -> Sample:
    record = cut_short(recorded("course"), "measured", Ended.KILLED, -9, "2026 loading\nCannot allocate memory\n")
    return sample("course", record)


def out_of_time() -> Sample:
    return sample(
        "course",
        cut_short(recorded("course"), "model_made", Ended.OUT_OF_TIME, -15, "a warning\n"),
        budget_seconds=60.0,
    )


def hostile() -> Sample:
    """A program whose every text is an attack on the page."""
    messages = training(
        said={"model": {"class": HOSTILE}, "optimizer": {"class": HOSTILE}},
        batch={
            "inputs": {HOSTILE: {"shape": [2, 3], "dtype": HOSTILE}},
            "tokens": {"lengths": [3, 3], "tokens": 6, "pads": 0},
            "rows": [{"text": HOSTILE, "label": HOSTILE}],
        },
        labels={"counts": {HOSTILE: 3, "1": 2}, "majority": 0.6, "guess_loss": 0.67},
        gradients={
            "norms": {HOSTILE: 1.0, "a/b": 2.0},
            "norm": 2.2,
            "missing": [HOSTILE],
            "count": 3,
            "missing_count": 1,
        },
        overfit={"own": {"losses": [1.0, 0.5], "right": 1.0}},
    )
    messages.append({"kind": "error", "type": HOSTILE, "text": HOSTILE, "at": []})
    messages.append({"kind": "stand_in", "what": "checkpoint", "name": HOSTILE})
    return made(
        *messages,
        findings=[replace(judged(evidence=HOSTILE), message=HOSTILE, why=HOSTILE, advice=HOSTILE)],
        sources={("train.py", None): (HOSTILE,)},
        script=f"{HOSTILE.replace('/', '')}.py",
    )


def many_labels() -> Sample:
    counts = {str(label): 5 + label % 4 for label in range(30)}
    losses = [3.4 - step / 20 for step in range(60)]
    return made(
        *training(
            labels={"counts": counts, "majority": 0.05, "guess_loss": 3.38},
            forward={"loss": 3.41, "formulas": {"ln_classes": 3.401}},
            overfit={"own": {"losses": [float("nan")]}, "safe": {"losses": losses, "right": 0.99}},
        ),
        findings=[judged(line) for line in range(1, 60)],
    )


SAMPLES: dict[str, Callable[[], Sample]] = {
    **{name: (lambda name=name: sample(name)) for name in RUNS},  # type: ignore[misc]
    "killed": killed,
    "out of time": out_of_time,
    "hostile": hostile,
    "many": many_labels,
    "nothing": lambda: made(),
}


# text


def test_a_training_is_told_in_the_order_in_which_a_person_looks_through_it() -> None:
    labels = re.findall(r"^  (\w+(?: \w+)?)  +\S", shown(sample("logits")), re.MULTILINE)
    expected = ["data", "batch", "tokens", "labels", "loss", "outputs", "gradients", "update", "optimizer", "one batch"]
    assert [label for label in dict.fromkeys(labels) if label in expected] == expected


def test_the_loss_stands_beside_that_of_a_guess() -> None:
    assert "guessing among 3 classes loses ln(3) = 1.099" in shown(sample("logits"))


def test_rows_are_shown_as_text_with_their_labels() -> None:
    assert re.search(r'row +"\[CLS\] no good at all \[SEP\] \[PAD\] \.\.\." -> 0', shown(sample("film")))


@pytest.mark.parametrize("width", [20, 39, 40, 80, 120])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = shown(SAMPLES[name](), width).splitlines()
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("name", SAMPLES)
def test_colour_changes_nothing_but_the_colour(name: str) -> None:
    said = SAMPLES[name]()
    assert re.sub(r"\x1b\[[\d;]*m", "", shown(said, 80, color=True)) == shown(said, 80)


@pytest.mark.parametrize(
    ("outcome", "color"),
    [(Outcome.CONFIRMED, 31), (Outcome.REFUTED, 32), (Outcome.UNDECIDED, 33), (Outcome.NOT_REACHED, 33)],
)
def test_a_verdict_stands_out(outcome: Outcome, color: int) -> None:
    report = text.render(made(findings=[judged(outcome=outcome)]).result, Style(color=True))
    assert f"\x1b[1;{color}mrun: {outcome.value}:\x1b[0m the loss is 4.9\n" in report
    assert f"\x1b[1;{color}m1 {outcome.value}\x1b[0m" in shown(made(findings=[judged(outcome=outcome)]), color=True)


def test_a_run_that_was_killed_says_so_with_its_last_words() -> None:
    report = shown(killed())
    assert re.search(r"^the run was killed after \d+ s.* by SIGKILL", report, re.MULTILINE)
    assert "said last  Cannot allocate memory" in report
    assert "said last" not in shown(out_of_time())


def test_a_run_out_of_time_says_what_gives_it_more() -> None:
    report = shown(out_of_time())
    assert "the run was out of time after" in report
    assert "--budget" in report
    assert "60 s" in report


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"kind": "finished", "status": "ended"}], "the run finished after 12 s"),
        ([{"kind": "exited", "code": 3}, {"kind": "finished", "status": "exited"}], "ended by sys.exit(3) after"),
        ([{"kind": "finished", "status": "exited"}], "the run finished after"),
        ([{"kind": "finished", "status": "failed"}], "the run ended with an error of the program after"),
        ([{"kind": "finished", "status": "interrupted"}], "the run was interrupted after"),
        ([{"kind": "finished", "status": "enough"}], "the run was ended in a training loop, of which 16 steps"),
    ],
)
def test_the_end_of_a_program_is_said_as_it_was(messages: list[dict[str, Any]], expected: str) -> None:
    said = made()
    record = replace(said.confirmation.observation.record, messages=tuple(messages))
    assert expected in shown(sample("film", record))


def test_a_process_that_was_left_without_a_word_is_no_end() -> None:
    assert "the run broke off after 12 s: the process was left with exit status 0" in shown(made(ended=Ended.STOPPED))


def test_a_stop_is_short_and_says_how_the_run_went_on() -> None:
    stops = [line for line in shown(sample("course"), 400).splitlines() if line.startswith("  stopped")]
    assert len(stops) == 5
    assert all(len(line) < 260 for line in stops)
    assert "Received a label value of 2 which is outside the valid range of [0, 2)" in stops[-1]
    assert stops[-1].endswith("; the run went on without training this model")


def test_a_stop_in_a_notebook_names_the_cell() -> None:
    assert "cell 3, line 1: KeyError: 'val_acc'" in shown(sample("film"))


def test_a_fault_that_the_run_went_around_is_a_failure() -> None:
    error = {"kind": "error", "type": "ValueError", "text": "no labels", "at": [], "went_on": "with a changed call"}
    words = "fails as it is written: ValueError: no labels; the run went on with a changed call"
    assert failure(made(error).confirmation) == words
    assert failure(made().confirmation) == failure(made(ended=Ended.OUT_OF_TIME).confirmation) == ""
    assert failure(killed().confirmation).startswith("cannot be judged by this run, which was killed")


def test_the_run_says_with_what_it_ran() -> None:
    report = shown(sample("logits", seed=7, steps=2), 200)
    assert re.search(r"versions +keras 3\S*, .*python 3\S*, tensorflow 2\S*, .*transformers 4\S*\n", report)
    assert re.search(r"seed +7\n", report)
    assert re.search(r"limits +2 steps of each fit", report)
    assert "on the CPU" in report


def test_a_run_without_findings_says_so() -> None:
    assert shown(made()).endswith("\nNo findings, in the program or in its run\n")
    assert "as far as it came" in shown(made(ended=Ended.KILLED))


def test_numbers_that_are_missing_are_left_out() -> None:
    half = made(
        *training(
            batch={"inputs": {"": {"type": "list"}}, "tokens": {"tokens": 4, "pads": 1, "longest": None}},
            labels={"counts": {"0": 1}, "majority": None},
            forward={"loss": None, "outputs": {"shape": [2], "dtype": None, "min": None}},
            gradients={"norm": None, "update_ratio": None, "missing_count": None},
            overfit={"own": {"losses": []}, "safe": {"losses": [0.5], "right": None}},
            said={"optimizer": {"class": "Adam", "learning_rate": None, "schedule": "Own"}, "total_steps": None},
        )
    )
    for report in everywhere(half)[:3]:
        assert "None" not in report
        assert "nan" not in report


def test_what_was_not_measured_is_said() -> None:
    messages = [
        *training(),
        {"kind": "skipped", "training": 1, "probe": "overfit", "why": "time"},
        {"kind": "measured", "training": 1, "probe": "forward", "failed": "ValueError: shapes\nno match"},
    ]
    report = shown(made(*messages))
    assert re.search(r"no time +for the measurement of overfit\n", report)
    assert re.search(r"failed +the measurement of forward: ValueError: shapes\n", report)


def test_gradients_that_do_not_arrive_are_counted() -> None:
    facts = {"norm": 2.0, "count": 9, "missing_count": 2, "zero_count": 3, "not_finite": ["a"]}
    report = shown(made(*training(gradients=facts)))
    assert "norm 2; none for 2, only zeros for 3, NaN or infinity for 1 of 9 weights\n" in report


def test_a_loop_of_the_programs_own_is_told_from_a_fit() -> None:
    loop = {"kind": "loop", "training": 1, "at": [{"path": "/a.py", "cell": 2, "line": 4}], "gradients": {"norm": 3.0}}
    report = shown(made(loop | {"optimizer": {"class": "Adam", "learning_rate": 1e-4}}))
    assert "training loop 1, cell 2, line 4\n" in report
    assert "norm 3\n" in report
    assert "Adam, learning rate 0.0001\n" in report


def test_what_is_odd_is_said_first() -> None:
    said = made(*training(labels={"count": 64, "distinct": 1, "majority": 1.0}, forward={"loss": 0.1}))
    sentence = "all 64 labels that were looked at are the same"
    first = shown(said).splitlines()[1]
    assert first == f"  look at    {sentence}"
    assert f'<p class="odd">{sentence}</p>' in page(said)
    report = json.loads(run_json.render(said.result, said.confirmation))
    assert report["run"]["trainings"][0]["remarks"] == [sentence]


def test_memory_is_said_in_sizes_that_can_be_read() -> None:
    facts = {
        "weights": 700,
        "gradients": 2048,
        "optimizer": 3 * 2**30,
        "gpu": {"peak": 5 * 2**20, "total": 140 * 2**30},
    }
    report = shown(made(*training(memory=facts)))
    assert "700 B of weights, 2 KiB gradients, 3.0 GiB for the optimizer, at most 5 MiB in use on the GPU" in report
    assert "of 140.0 GiB" in report


ROW = {"weights": 2**20, "gradients": 2**20, "optimizer": 2**21, "optimizer_made": 0}


@pytest.mark.parametrize(
    ("facts", "words", "rows"),
    [
        (
            {"activations": {"per_row": 2**20}, "available": 2**30},
            "about 1 MiB of activations for each row like the first ones, estimated from the graph of a step; batches "
            "of 512 rows fit: 1.0 GiB are free on this machine, which shows no GPU",
            512,
        ),
        (
            {"activations": {"per_row": 2**20, "beside": 2**22}, "gpu": {"total": 2**30}},
            "about 1 MiB of activations for each row like the first ones, measured; batches of 512 rows fit: the GPU "
            "has 1.0 GiB",
            512,
        ),
        ({"activations": {"per_row": 2**20}, "available": 2**20}, "not one row fits: 1 MiB are free", 0),
        ({"activations": {"per_row": 1}, "available": 2**40}, "batches of at least 1048576 rows fit", 2**20),
        ({"activations": {"per_row": 2**20}}, "about 1 MiB of activations", None),
    ],
)
def test_the_largest_batch_that_fits(facts: dict[str, Any], words: str, rows: int | None) -> None:
    said = made(*training(memory=ROW | facts))
    assert words in " ".join(shown(said, 400).split())
    assert words in " ".join(page(said).split())
    report = json.loads(run_json.render(said.result, said.confirmation))
    jsonschema.validate(report, SCHEMA)
    largest = report["run"]["trainings"][0]["largest_batch"]
    assert (largest and largest["rows"]) == rows


def test_a_try_that_had_one_step_says_why() -> None:
    facts = {"own": {"losses": [float("nan")]}, "safe": {"losses": [0.7]}}
    report = shown(made(*training(overfit=facts)))
    assert "the program's optimizer: loss nan at the first step\n" in report
    assert "a safe optimizer: loss 0.7000 at the first step, no time for more\n" in report


@pytest.mark.parametrize("name", SAMPLES)
def test_no_report_says_none(name: str) -> None:
    said = SAMPLES[name]()
    assert not re.search(r"\bNone\b", shown(said))
    assert not re.search(r"\bNone\b", re.sub(r"<pre.*?</pre>", "", page(said), flags=re.DOTALL))


def test_program_text_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in shown(hostile())
    assert "\u202e" not in shown(hostile())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a [SEP] [PAD] [PAD] [PAD] [PAD] [PA", "a [SEP] [PAD] ..."),
        ("<pad><pad><pad><pad><pad> a", "<pad> ... a"),
        ("[PAD] [PAD] a", "[PAD] [PAD] a"),
        ("no!!!!!! no no no no no", "no!!!!!! no no no no no"),
        ("two\nlines", "two\\nlines"),
    ],
)
def test_padding_is_said_once(given: str, expected: str) -> None:
    assert decoded(given) == expected


def test_a_long_text_is_cut_between_words() -> None:
    assert shortened("one two  three", 100) == "one two three"
    assert shortened("word " * 50, 20) == "word word word..."
    assert shortened("x" * 50, 20) == f"{'x' * 17}..."


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.6931, "0.6931"), (0.0, "0.0000"), (1.5e-7, "1.5e-07"), (2.5e7, "2.5e+07"), (float("nan"), "nan")],
)
def test_a_loss_is_written_so_that_it_can_be_read(value: float, expected: str) -> None:
    assert number(value) == expected


def test_the_readme_shows_a_training_as_it_is_told() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"```text\n{shown(sample('logits')).split(chr(10) * 2)[0]}\n```\n" in readme


# the page


class Reader(HTMLParser):
    """Checks that elements are closed as they were opened, and collects what a page asks for."""

    VOID = frozenset({"meta", "wbr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute of <{tag}> is there twice"
        assert not [name for name in given if name.startswith("on")]
        self.ids.extend(value or "" for name, value in attrs if name == "id")
        self.links.extend(value or "" for name, value in attrs if name in {"href", "src", "xlink:href", "action"})
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def read(said: Sample) -> Reader:
    reader = Reader()
    reader.feed(page(said))
    reader.close()
    assert not reader.open
    return reader


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_is_whole_and_asks_for_nothing(name: str) -> None:
    reader = read(SAMPLES[name]())
    assert not reader.tags & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)
    assert len(set(reader.ids)) == len(reader.ids)
    styles = page(SAMPLES[name]()).split("</style>")[0]
    assert "url(" not in styles
    assert "@import" not in styles


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_is_valid_html(name: str) -> None:
    html5lib = pytest.importorskip("html5lib")
    html5lib.HTMLParser(strict=True).parse(page(SAMPLES[name]()))


def test_program_text_is_escaped_in_the_page() -> None:
    html = page(hostile())
    assert "<script" not in html
    assert "<img" not in html
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", html)
    assert html.count("&lt;script&gt;") > 10
    assert "映画 🎬" in html


def test_the_page_shows_findings_verdicts_and_pictures() -> None:
    reader = read(sample("logits"))
    words = " ".join(" ".join(reader.said).split())
    assert "TFL002 loss-without-from-logits" in words
    assert "as when logits are read as probabilities" in words
    assert "loss while one batch is learnt by heart" in words
    assert "classifier/kernel" in words.replace("/ ", "/")
    assert "seed" in words
    assert {"svg", "table", "pre"} <= reader.tags


def test_rows_are_in_a_table_of_their_own() -> None:
    assert '<tr><td dir="auto">[CLS] no good at all [SEP] [PAD] ...</td><td>0</td></tr>' in page(sample("film"))


def test_many_findings_have_a_list_with_links() -> None:
    assert len(read(many_labels()).links) == 59
    assert not read(sample("logits")).links


def test_a_run_that_was_cut_short_stands_out_on_the_page() -> None:
    assert '<div class="early">' in page(killed())
    assert "Cannot allocate memory" in page(killed())
    assert '<div class="early">' not in page(sample("course"))


def test_a_page_without_findings_has_no_empty_part() -> None:
    html = page(made())
    assert "No findings, in the program or in its run." in html
    assert not re.search(r"<(ul|ol|dl|tbody|div|p|h2)[^>]*>\s*</\1>", html)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_part_of_a_page_is_empty(name: str) -> None:
    assert not re.search(r"<(ul|ol|dl|tbody|div|p|h[123]|figure|dd|dt)[^>]*>\s*</\1>", page(SAMPLES[name]()))


def test_without_jinja2_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(run_html.MissingTemplateEngine, match=re.escape(install_command("html", sys.executable))):
        page(made())


def test_the_command_says_so_before_it_runs_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = tmp_path / "ran"
    script = tmp_path / "train.py"
    script.write_text(f"open({str(ran)!r}, 'w')", encoding="utf-8")
    assert main(["confirm", str(script), "--report", str(tmp_path / "run.html")]) == 2
    assert install_command("html", sys.executable) in capsys.readouterr().err
    assert not ran.exists()


def test_the_command_writes_all_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, page_file = tmp_path / "train.py", tmp_path / "run.html"
    script.write_text("print('hello')\nraise ValueError('no data')\n", encoding="utf-8")
    arguments = ["confirm", str(script), "--stand-ins", "never", "-q"]
    assert main([*arguments, "--report", str(page_file)]) == 2
    assert "stopped    line 2: ValueError: no data\n" in capsys.readouterr().out
    assert "ValueError: no data" in page_file.read_text(encoding="utf-8")
    assert main([*arguments, "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["run"]["status"] == "failed"


# charts


def test_thirty_columns_have_names_that_do_not_touch() -> None:
    svg = charts.columns({str(label): label + 1 for label in range(30)}, "labels")
    names = [float(x) for x in re.findall(rf'<text x="([\d.]+)" y="{charts.HEIGHT - 7:.1f}"', svg)]
    assert svg.count("<rect") == 30
    assert min(b - a for a, b in itertools.pairwise(names)) > 2 * charts.LETTER


@pytest.mark.parametrize("values", [[16] * 9, [1, 2, 3], [5, 128, 512], list(range(1000))])
def test_a_histogram_counts_every_value(values: list[float]) -> None:
    svg = charts.histogram(values, "lengths")
    counts = [int(count) for count in re.findall(r"<title>[\d-]+: (\d+)</title>", svg)]
    assert sum(counts) == len(values)
    assert len(counts) <= charts.BINS


def test_curves_leave_out_what_is_not_finite() -> None:
    nan, inf = float("nan"), float("inf")
    assert charts.curves({"own": [nan, inf]}, "loss") == ""
    svg = charts.curves({"own": [2.0, nan, 1.0], "safe": [1.0]}, "loss", {"ln(3)": 1.099, "none": nan})
    assert "nan" not in svg
    assert "inf" not in svg
    assert "ln(3)" in svg


def test_bars_are_as_long_as_the_logarithm() -> None:
    lengths = charts.logarithmic({"zero": 0.0, "small": 1e-6, "middle": 1e-3, "large": 1.0, "bad": float("inf")})
    assert lengths["zero"] == lengths["bad"] == 0.0
    assert 0 < lengths["small"] < lengths["middle"] < lengths["large"] == 1.0
    assert lengths["middle"] == pytest.approx((lengths["small"] + lengths["large"]) / 2)


# json


def strictly(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_json_keeps_to_its_schema(name: str) -> None:
    said = SAMPLES[name]()
    report = json.loads(run_json.render(said.result, said.confirmation), parse_constant=strictly)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert len(report["run"]["trainings"]) == len(said.confirmation.observation.trainings)


def test_numbers_that_are_not_finite_are_words_in_json() -> None:
    nan = float("nan")
    bad = replace(judged(), verdict=Verdict(Outcome.CONFIRMED, "nan", "p", (("a", nan), ("b", 1.0))))
    said = made(*training(forward={"loss": nan, "rows": [1.0, -float("inf")]}), findings=[bad])
    report = json.loads(run_json.render(said.result, said.confirmation), parse_constant=strictly)
    measured = report["run"]["trainings"][0]["measured"]["forward"]
    assert measured == {"loss": "nan", "rows": [1.0, "-inf"]}
    assert report["findings"][0]["verdict"]["numbers"] == {"b": 1.0}


def test_json_says_with_what_it_ran() -> None:
    said = sample("film", seed=3)
    run = json.loads(run_json.render(said.result, said.confirmation))["run"]
    assert run["options"]["seed"] == 3
    assert run["ended"] == "finished"
    assert run["versions"]["tensorflow"].startswith("2.")
    assert run["stops"][0]["at"][0]["cell"] == 3
