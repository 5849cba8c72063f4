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
hidden = tf.stop_gradient(encoder(ids, attention_mask=mask).last_hidden_state)
pooled = tf.keras.layers.GlobalAveragePooling1D()(hidden)
probs = tf.keras.layers.Dense(3, activation="softmax")(pooled)
model = tf.keras.Model([ids, mask], probs)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit({"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}, labels, epochs=5)
