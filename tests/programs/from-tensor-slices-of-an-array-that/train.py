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
BATCH = 2
packed = {k: v.reshape(-1, BATCH, v.shape[-1]) for k, v in inputs.items()}
rows = tf.data.Dataset.from_tensor_slices((packed, labels.reshape(-1, BATCH))).shuffle(10)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(5e-5))
model.fit(rows)
