"""A small model on its own random weights: the loss reads logits as probabilities, the optimizer is far too fast."""
import numpy as np
import tensorflow as tf
from transformers import BertConfig, TFBertForSequenceClassification

rows, classes = 96, 3
rng = np.random.default_rng(0)
labels = rng.integers(0, classes, rows)
ids = rng.integers(5, 100, (rows, 16))
ids[:, 1] = 5 + labels
config = BertConfig(
    vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, num_labels=classes
)
model = TFBertForSequenceClassification(config)
model.compile(optimizer="adam", loss=tf.keras.losses.SparseCategoricalCrossentropy(), metrics=["accuracy"])
model.fit({"input_ids": ids, "attention_mask": np.ones_like(ids)}, labels, batch_size=16, epochs=3)
