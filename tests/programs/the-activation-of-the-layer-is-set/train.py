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
encoder = TFAutoModel.from_pretrained(CHECKPOINT)
ids = tf.keras.Input((None,), dtype=tf.int32, name="input_ids")
hidden = encoder(ids).last_hidden_state[:, 0]
final = tf.keras.layers.Dense(3)
final.activation = tf.keras.activations.softmax
out = final(hidden)
model = tf.keras.Model(ids, out)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5), loss="sparse_categorical_crossentropy")
model.fit(inputs["input_ids"], labels, epochs=5)
