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
encoder = TFAutoModel.from_pretrained(CHECKPOINT, trainable=False)
ids = tf.keras.Input((None,), dtype=tf.int32, name="input_ids")
hidden = encoder(ids).last_hidden_state
probs = tf.keras.layers.Dense(3, activation="softmax")(hidden[:, 0])
model = tf.keras.Model(ids, probs)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(inputs["input_ids"], labels, epochs=5)
