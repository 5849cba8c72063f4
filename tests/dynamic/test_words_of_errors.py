"""What a run says of an exception: the line that says what is wrong, and where it was."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tflint_hf.dynamic.record import essence
from tflint_hf.dynamic.runner import AGENT

GRAPH = """Graph execution error:

Detected at node loss/Sparse defined at (most recent call last):
<stack traces unavailable>
logits and labels must have the same first dimension, got logits shape [36,3] and labels shape [3]
\t [[{{node loss/Sparse}}]] [Op:__inference_train_function_7261]"""
LAYER = """Exception encountered when calling layer 'net' (type TFMarianMTModel).

in user code:

    File "/lib/modeling_tf_marian.py", line 1044, in call  *
        outputs = self.decoder(

    ValueError: You have to specify either decoder_input_ids or decoder_inputs_embeds

Call arguments received by layer 'net' (type TFMarianMTModel):"""
OWN_LAYER = """Exception encountered when calling layer 'emb' (type Emb).

The first argument must be passed.

Call arguments received by layer 'emb'"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GRAPH, "logits and labels must have the same first dimension, got logits shape [36,3] and labels shape [3]"),
        (LAYER, "ValueError: You have to specify either decoder_input_ids or decoder_inputs_embeds"),
        (OWN_LAYER, "The first argument must be passed."),
        ("You must compile your model", "You must compile your model"),
        ("", ""),
    ],
)
def test_the_line_that_says_what_is_wrong(text: str, said: str) -> None:
    assert essence(text) == said


def test_places_in_the_message_of_a_graph_are_those_of_the_program(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("places_of_the_agent", AGENT / "places.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    mine = tmp_path / "train.py"
    mine.touch()
    text = (
        f'in user code:\n\n    File "{mine}", line 30, in loop  *\n    File "{mine}", line 12, in step  *\n'
        '    File "/lib/site-packages/tf_keras/losses.py", line 5, in call  *\n'
    )
    found = module.Places(str(tmp_path)).of_message(text)
    assert [(place["line"], place["name"]) for place in found] == [(12, "step"), (30, "loop")]
