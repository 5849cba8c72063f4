"""Real TensorFlow, Keras and transformers in the sandbox: what they save is found again, and nothing lasts."""

import importlib.util
import os
from pathlib import Path

import pytest
from sandboxed import START, run_sandboxed

NO_KERNEL = START.replace(
    "sandbox.install(context)",
    "sandbox.landlock.restrict = lambda *_, **__: 'switched off by the test'\nsandbox.install(context)",
)


def is_installed(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed("tensorflow"), reason="needs TensorFlow"),
]
HEAD = """
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
"""
MODEL = (
    HEAD
    + """
from transformers import AutoTokenizer, BertConfig, BertTokenizerFast, TFBertForSequenceClassification
import tf_keras
with open("vocab.txt", "w") as file:
    file.write("\\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "hello"]))
tokenizer = BertTokenizerFast("vocab.txt")
model = TFBertForSequenceClassification(BertConfig(
    vocab_size=20, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32))
x = dict(tokenizer(["hello a", "b"] * 8, padding=True, return_tensors="np"))
y = np.array([0, 1] * 8)
model.compile(tf_keras.optimizers.Adam(1e-3), tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True))
def same(other):
    assert np.allclose(other(x).logits, model(x).logits)
"""
)

PROGRAMS = {
    "transformers": MODEL
    + """
model.fit(x, y, verbose=0)
model.save_pretrained("saved")
tokenizer.save_pretrained("saved")
same(TFBertForSequenceClassification.from_pretrained("saved"))
assert AutoTokenizer.from_pretrained("saved")("hello")["input_ids"] == tokenizer("hello")["input_ids"]
model.save_pretrained("safe", safe_serialization=True)
assert os.path.exists("safe/model.safetensors")
same(TFBertForSequenceClassification.from_pretrained("safe"))
model.save_pretrained("data")
same(TFBertForSequenceClassification.from_pretrained("link" if os.name != "nt" else "data"))
model.save_weights("w.h5")
model.load_weights("w.h5")
model.save_weights("w")
model.load_weights("w")
tokenizer.backend_tokenizer.save("tokenizer.json")
import tokenizers
tokenizers.Tokenizer.from_file("tokenizer.json")
""",
    "hub": MODEL
    + """
import huggingface_hub
from transformers.keras_callbacks import PushToHubCallback
pusher = PushToHubCallback("out", tokenizer=tokenizer, hub_model_id="me/model")
model.fit(x, y, epochs=2, callbacks=[pusher], verbose=0)
assert "tf_model.h5" in os.listdir("out")
model.push_to_hub("me/model")
tokenizer.push_to_hub("me/model")
model.save_pretrained("saved", push_to_hub=True, repo_id="me/model")
api = huggingface_hub.HfApi()
api.upload_folder(folder_path="saved", repo_id="me/model")
assert huggingface_hub.create_repo("name", exist_ok=True).repo_id == "user/name"
try:
    AutoTokenizer.from_pretrained("some-user/some-model-that-is-not-here")
except OSError:
    pass
""",
    "tf-keras": HEAD
    + """
import tf_keras
from tf_keras import callbacks
model = tf_keras.Sequential([tf_keras.layers.Dense(3, input_shape=(4,))])
model.compile("adam", "mse")
model.fit(np.zeros((4, 4)), np.zeros((4, 3)), epochs=2, verbose=0, callbacks=[
    callbacks.ModelCheckpoint("cp/w-{epoch}", save_weights_only=True), callbacks.CSVLogger("log.csv"),
    callbacks.BackupAndRestore("backup"), callbacks.ModelCheckpoint("best.keras", save_best_only=True, monitor="loss")])
assert tf.train.latest_checkpoint("cp") == os.path.join("cp", "w-2")
model.load_weights(tf.train.latest_checkpoint("cp"))
for name in ("folder", "m.keras", "m.h5"):
    model.save(name)
    tf_keras.models.load_model(name)
    model.save(name)
model.export("exported")
loaded = tf.saved_model.load("exported")
assert loaded.serve(np.zeros((1, 4), "float32")).shape == (1, 3)
""",
    "keras-3": HEAD
    + """
import keras
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
model.compile("adam", "mse")
model.fit(np.zeros((4, 4)), np.zeros((4, 3)), verbose=0, callbacks=[
    keras.callbacks.ModelCheckpoint("best.keras"), keras.callbacks.BackupAndRestore("backup")])
keras.saving.load_model("best.keras")
model.save("m.keras")
model.save_weights("m.weights.h5")
model.load_weights("m.weights.h5")
model.export("exported")
tf.saved_model.load("exported")
""",
    "checkpoints": HEAD
    + """
kept = tf.Variable(1.0)
checkpoint = tf.train.Checkpoint(kept=kept)
manager = tf.train.CheckpointManager(checkpoint, "managed", max_to_keep=2)
for number in range(3):
    kept.assign(float(number))
    assert manager.save() == os.path.join("managed", "ckpt-%d" % (number + 1))
assert len([name for name in os.listdir("managed") if name.endswith(".index")]) == 2
kept.assign(7.0)
again = tf.train.CheckpointManager(checkpoint, "managed", max_to_keep=2)
checkpoint.restore(again.latest_checkpoint).assert_consumed()
assert kept.numpy() == 2.0
assert tf.train.list_variables("managed")
path = checkpoint.write(os.path.abspath("single/ck"))
checkpoint.read(path)
checkpoint.save("saved")
checkpoint.restore("saved-4")
tf.saved_model.save(tf.Module(), "module")
assert tf.saved_model.contains_saved_model("module")
tf.saved_model.load("module")
""",
    "files-of-tensorflow": HEAD
    + """
gfile = tf.io.gfile
with gfile.GFile("g.txt", "w") as file:
    file.write("g")
with gfile.GFile("g.txt", "a") as file:
    file.write("h")
assert gfile.GFile("g.txt").read() == "gh" == open("g.txt").read()
assert gfile.exists("g.txt") and not gfile.isdir("g.txt") and gfile.stat("g.txt").length == 2
with gfile.GFile("data/rows.csv", "a") as file:
    file.write("3,4")
assert open("data/rows.csv").read() == "a,b\\n1,2\\n3,4"
gfile.makedirs("d/a/b")
gfile.copy("g.txt", "d/a/b/g.txt")
gfile.rename("d/a/b/g.txt", "d/x")
assert [(root, folders, files) for root, folders, files in gfile.walk("d")][0] == ("d", ["a"], ["x"])
assert gfile.glob("d/*") == [os.path.join("d", "a"), os.path.join("d", "x")]
gfile.rmtree("d")
assert not gfile.exists("d")
gfile.remove("data/rows.csv")
gfile.rmtree("data")
assert not gfile.exists("data") and "data" not in gfile.listdir(".") and not os.path.exists("data/deep")
for attempt in (lambda: gfile.remove("nothing"), lambda: gfile.GFile("nothing").read(),
                lambda: gfile.listdir("nothing"),
                lambda: gfile.copy("g.txt", "vocab-or-g", overwrite=False) or gfile.copy("g.txt", "vocab-or-g")):
    try:
        attempt()
    except tf.errors.OpError:
        continue
    raise AssertionError
tf.io.write_file("w.txt", "abc")
assert tf.io.read_file("w.txt").numpy() == b"abc"
with tf.io.TFRecordWriter("r.tfrecord") as writer:
    writer.write(b"x")
assert len(list(tf.data.TFRecordDataset(["r.tfrecord", "r.tfrecord"]))) == 2
assert len(list(tf.data.TextLineDataset("g.txt"))) == 1
assert len(list(tf.data.Dataset.list_files("*.tfrecord").interleave(tf.data.TFRecordDataset))) == 1
cached = tf.data.Dataset.range(4).cache("cache")
assert len(list(cached)) == len(list(cached)) == 4
tf.data.Dataset.range(4).save("range")
assert len(list(tf.data.Dataset.load("range"))) == 4
writer = tf.summary.create_file_writer("logs")
with writer.as_default():
    tf.summary.write("loss", 1.0, 1)
writer.close()
assert os.listdir("logs") and gfile.glob("logs/*")
tf.profiler.experimental.start("profile")
tf.profiler.experimental.stop()
""",
    "h5py-and-arrays": HEAD
    + """
import h5py
with h5py.File("u.h5", "w") as file:
    file["a"] = [1]
with h5py.File("u.h5", "a") as file:
    file["b"] = [1]
with h5py.File("u.h5", "r") as file:
    assert list(file) == ["a", "b"]
for mode, error in (("r", OSError), ("r+", OSError)):
    try:
        h5py.File("nothing.h5", mode)
    except error:
        continue
    raise AssertionError
try:
    h5py.File("u.h5", "x")
except OSError:
    pass
y = np.arange(3)
np.save("n.npy", y)
assert (np.load("n.npy", mmap_mode="r") == y).all()
np.savez("n.npz", a=y)
assert np.load("n.npz")["a"].shape == (3,)
y.tofile("n.bin")
assert np.fromfile("n.bin", y.dtype).shape == (3,)
np.memmap("m.bin", "float32", "w+", shape=(3,))[:] = 1
np.savetxt("n.txt", y)
import pandas as pd
frame = pd.DataFrame({"a": [1, 2]})
frame.to_csv("f.csv")
frame.to_parquet("f.parquet")
frame.to_pickle("f.pkl")
frame.to_json("f.json")
assert len(pd.read_csv("f.csv")) == len(pd.read_parquet("f.parquet")) == 2
import pyarrow.parquet
assert pyarrow.parquet.read_table("f.parquet").num_rows == 2
""",
    "datasets": HEAD
    + """
import datasets
rows = datasets.Dataset.from_dict({"a": [1, 2, 3]})
rows.save_to_disk("rows")
assert len(datasets.load_from_disk("rows")) == 3
with open("t.csv", "w") as file:
    file.write("a,b\\n1,2\\n")
table = datasets.load_dataset("csv", data_files="t.csv")["train"]
assert table[0] == {"a": 1, "b": 2}
assert datasets.load_dataset("csv", data_files="data/rows.csv")["train"][0] == {"a": 1, "b": 2}
assert table.map(lambda row: {"c": row["a"]})[0]["c"] == 1
assert rows.map(lambda row: {"c": row["a"]}, num_proc=2)[2]["c"] == 3
rows.to_parquet("rows.parquet")
rows.to_csv("rows.csv")
rows.push_to_hub("me/rows")
datasets.DatasetDict({"train": rows}).save_to_disk("dict")
assert len(datasets.load_from_disk("dict")["train"]) == 3
feed = rows.to_tf_dataset(batch_size=2, columns=["a"])
assert len(list(feed)) == 2
""",
}


@pytest.mark.parametrize("start", [START, NO_KERNEL], ids=["kernel", "python-alone"])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_what_is_saved_is_found_again_and_does_not_last(tmp_path: Path, name: str, start: str) -> None:
    needed = {"transformers": "transformers", "hub": "transformers", "tf-keras": "tf_keras", "datasets": "datasets"}
    if name in needed and not is_installed(needed[name]):
        pytest.skip("needs " + needed[name])
    environment = {"TF_USE_LEGACY_KERAS": "1"} if name in ("transformers", "hub") else {}
    environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
    run = run_sandboxed(tmp_path, PROGRAMS[name], start=start, environment=environment, timeout=600)
    assert run.status == 0, run.errors
    if name == "hub":
        assert set(run.kept("push_to_hub")) == {"me/model"}
        assert set(run.kept("create_repo")) == {"me/model", "name"}
    if name == "transformers":
        assert {Path(path).name for path in run.kept("save_pretrained")} == {"saved", "safe", "data"}
    if name == "tf-keras":
        assert {Path(path).name for path in run.kept("save")} >= {"folder", "m.keras", "m.h5"}
