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
parser.add_argument("--arch", default="cnn", choices=["cnn", "bert"])
args = parser.parse_args()
OPTIMIZERS = {"cnn": "adam", "bert": tf.keras.optimizers.Adam(2e-5)}
if args.arch == "bert":
    model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
else:
    model = tf.keras.Sequential([tf.keras.layers.Embedding(30522, 16), tf.keras.layers.GlobalMaxPooling1D(), tf.keras.layers.Dense(3)])
model.compile(optimizer=OPTIMIZERS[args.arch], loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(inputs if args.arch == "bert" else inputs["input_ids"], labels)
