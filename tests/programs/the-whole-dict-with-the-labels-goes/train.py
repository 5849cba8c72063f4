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
mask = tf.keras.Input((None,), dtype=tf.int32, name="attention_mask")
out = tf.keras.layers.Dense(3, activation="softmax")(encoder(ids, attention_mask=mask)[1])
model = tf.keras.Model([ids, mask], out)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5), loss="sparse_categorical_crossentropy")
model.fit({**inputs, "labels": labels}, epochs=2, batch_size=2)
