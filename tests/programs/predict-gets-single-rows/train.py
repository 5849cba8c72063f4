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
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(inputs, labels)
test = tf.data.Dataset.from_tensor_slices(inputs)
print(model.predict(test).logits.argmax(-1))
