"""The language server in a real editor: Neovim without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from editor import FAULTY, FIXABLE, ROOT, SETTINGS

# What a user does: open the file, see what is wrong, go there, take the first thing that is offered, look again.
SESSION = """
local said = {}
local function codes()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, one.code or (one.user_data and one.user_data.lsp.code))
  end
  table.sort(found)
  return found
end
local function step(name, wanted)
  vim.wait(60000, function() return vim.deep_equal(codes(), wanted) end, 20)
  said[name] = codes()
end
local client = vim.lsp.start_client({
  name = "tflint-hf",
  cmd = vim.fn.json_decode(os.getenv("SERVER")),
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, client)
step("opened", { "TFD007", "TFL001" })
for _, one in ipairs(vim.diagnostic.get(0)) do
  if one.lnum == 8 then
    said.place = { one.lnum, one.col }
    said.severity = one.severity
    said.source = one.source
    vim.api.nvim_win_set_cursor(0, { one.lnum + 1, one.col })
  end
end
vim.ui.select = function(items, _, choose) choose(items[1], 1) end
vim.lsp.buf.code_action()
step("fixed", { "TFL001" })
said.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") .. "\\n"
vim.api.nvim_buf_set_lines(0, 6, 8, false, {})
step("removed", {})

-- In a comment: a rule is begun, completion asked for, its first offer taken. Older versions filter by what is written.
local function keys(text)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(text, true, false, true), "t", false)
end
local function when(reached, act, tries)
  tries = tries or 3000
  vim.defer_fn(function() if reached() or tries == 0 then act() else when(reached, act, tries - 1) end end, 20)
end
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
vim.o.completeopt = "menuone,noinsert"
vim.api.nvim_win_set_cursor(0, { 1, 0 })
keys("A  # tflint-hf: ignore[" .. (vim.fn.has("nvim-0.11") == 1 and "string-o" or "TFO00") .. "<C-x><C-o>")
when(function() return vim.fn.pumvisible() == 1 end, function()
  local first = vim.fn.complete_info({ "items" }).items[1] or {}
  said.offered = { first.word, first.menu }
  keys("<C-y>]<Esc>")
  when(function() return vim.api.nvim_get_mode().mode == "n" end, function()
    said.completed = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
    vim.fn.writefile({ vim.fn.json_encode(said) }, os.getenv("ANSWER"))
    vim.cmd("qall!")
  end)
end)
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_a_finding_and_applies_its_fix(tmp_path: Path) -> None:
    script, session, answer = tmp_path / "train.py", tmp_path / "session.lua", tmp_path / "answer.json"
    text = FIXABLE.replace("model.fit(", '"🤗 e\u0301"; model.fit(')
    script.write_text(text, encoding="utf-8")
    session.write_text(SESSION, encoding="utf-8")
    (tmp_path / "tflint-hf.toml").write_text(SETTINGS, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "SERVER": json.dumps([sys.executable, "-m", "tflint_hf", "lsp"]),
        "ANSWER": str(answer),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "settings"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    done = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", f"luafile {session}", str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert answer.exists(), done.stderr
    said = json.loads(answer.read_text(encoding="utf-8"))
    assert said["opened"] == ["TFD007", "TFL001"]
    line = text.splitlines()[8]
    assert said["place"] == [8, len(line[: line.index("[1, 0")].encode())]  # Neovim counts bytes
    assert (said["severity"], said["source"]) == (1, "tflint-hf")
    assert said["fixed"] == ["TFL001"]
    assert said["text"] == FAULTY.replace("model.fit(", '"🤗 e\u0301"; model.fit(')
    assert said["removed"] == []
    assert said["offered"] == ["TFO001", "string-optimizer"]
    assert said["completed"] == f"{text.splitlines()[0]}  # tflint-hf: ignore[TFO001]"
