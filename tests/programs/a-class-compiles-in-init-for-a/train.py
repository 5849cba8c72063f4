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
class Classifier:
    def __init__(self, classes):
        self.model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=classes)
        self.model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")

    def fit(self, x, y):
        self.model.compile(
            optimizer=tf.keras.optimizers.Adam(3e-5),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
        self.model.fit(x, y, epochs=2)


Classifier(3).fit(inputs, labels)
