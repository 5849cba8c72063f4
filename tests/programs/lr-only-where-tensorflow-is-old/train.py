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
from packaging.version import Version

if Version(tf.__version__) < Version("2.11"):
    optimizer = tf.keras.optimizers.Adam(lr=2e-5)
else:
    optimizer = tf.keras.optimizers.Adam(learning_rate=2e-5)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=optimizer)
model.fit(inputs, labels)
