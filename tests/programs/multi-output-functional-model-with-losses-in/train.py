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
ids = tf.keras.Input((64,), dtype=tf.int32, name="input_ids")
hidden = encoder(ids).last_hidden_state[:, 0]
topic = tf.keras.layers.Dense(3, name="topic")(hidden)
mood = tf.keras.layers.Dense(1, activation="sigmoid", name="mood")(hidden)
model = tf.keras.Model(ids, {"topic": topic, "mood": mood})
model.compile(
    optimizer=tf.keras.optimizers.Adam(2e-5),
    loss={
        "topic": "sparse_categorical_crossentropy",
        "mood": "binary_crossentropy",
    },
)
model.fit(inputs["input_ids"], {"topic": labels, "mood": labels > 0})
