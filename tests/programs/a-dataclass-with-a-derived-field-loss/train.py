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
from dataclasses import dataclass, field


@dataclass
class Setup:
    classes: int = 3
    loss: object = "sparse_categorical_crossentropy"

    def __post_init__(self):
        if self.loss == "sparse_categorical_crossentropy":
            self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


setup = Setup()
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=setup.classes)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5), loss=setup.loss)
model.fit(inputs, labels)
