"""The language server in the editor of VS Code, in a browser without a screen. It needs, once:

npm install --prefix tests/lsp/monaco

With PICTURE=docs/images/editor.png it paints the picture of the documentation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from editor import FIXABLE, MENDED, ROOT, SETTINGS

FOLDER = Path(__file__).parent / "monaco"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(
    not (FOLDER / "node_modules").exists(), reason="`npm install --prefix tests/lsp/monaco` was not run"
)
@pytest.mark.skipif(CHROMIUM is None or shutil.which("node") is None, reason="Node.js or Chromium is not installed")
def test_monaco_shows_a_finding_and_applies_its_fix(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    if not (FOLDER / "dist").exists():
        subprocess.run(["npx", "vite", "build"], cwd=FOLDER, check=True, timeout=300)
    picture = os.environ.get("PICTURE")
    text = FIXABLE if picture else FIXABLE.replace("model.fit(", '"🤗 e\u0301"; model.fit(')
    script, answer = tmp_path / "train.py", tmp_path / "answer.json"
    script.write_text(text, encoding="utf-8")
    (tmp_path / "tflint-hf.toml").write_text(SETTINGS, encoding="utf-8")
    given = {"path": str(script), "folder": str(tmp_path), "text": text, "mended": MENDED}
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "GIVEN": json.dumps(given),
        "SERVER": json.dumps([sys.executable, "-m", "tflint_hf", "lsp"]),
        "CHROMIUM": CHROMIUM,
    }
    if picture:
        environment["PICTURE"] = str(Path(picture).absolute())
    done = subprocess.run(
        ["node", "run.mjs", str(answer)],
        cwd=FOLDER,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(answer.read_text(encoding="utf-8"))
    places = {one["code"]: (one["line"], one["character"]) for one in said["opened"]}
    line = text.splitlines()[8]
    before = line[: line.index("[1, 0")]
    units = len(before.encode("utf-16-le")) // 2  # an emoji is two
    assert places == {"TFL001": (7, 19), "TFD007": (8, units)}
    assert "**fix** Make an array of the labels" in said["hover"]
    assert said["text"] == text.replace("[1, 0, 1, 0]", "np.array([1, 0, 1, 0])")
    assert said["mended"] == []
