import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFAutoModel, TFAutoModelForSequenceClassification
CHECKPOINT = "bert-base-uncased"
texts = ["arrived broken", "works fine", "does what it says", "never again"]
labels = np.array([2, 0, 1, 2])
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
inputs = dict(tokenizer(texts, padding=True, truncation=True, return_tensors="np"))
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="lstm")
args = parser.parse_args()


def make(kind):
    if kind == "lstm":
        return tf.keras.Sequential([tf.keras.layers.Embedding(30522, 16), tf.keras.layers.LSTM(8), tf.keras.layers.Dense(3)])
    elif kind == "bert":
        return TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)
    raise ValueError(kind)


def rate(kind):
    return {"lstm": 1e-3, "bert": 2e-5}[kind]


model = make(args.model)
model.compile(optimizer=tf.keras.optimizers.Adam(rate(args.model)), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(inputs if args.model == "bert" else inputs["input_ids"], labels)
