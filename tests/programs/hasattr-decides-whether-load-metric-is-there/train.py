import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFAutoModel, TFAutoModelForSequenceClassification
import datasets

if hasattr(datasets, "load_metric"):
    accuracy = datasets.load_metric("accuracy")
else:
    import evaluate

    accuracy = evaluate.load("accuracy")
CHECKPOINT = "bert-base-uncased"
texts = ["arrived broken", "works fine", "does what it says", "never again"]
labels = np.array([2, 0, 1, 2])
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
inputs = dict(tokenizer(texts, padding=True, truncation=True, return_tensors="np"))
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(5e-5))
model.fit(inputs, labels)
print(accuracy.compute(predictions=model.predict(inputs).logits.argmax(-1), references=labels))
