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
class Probe(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.encoder = TFAutoModel.from_pretrained(CHECKPOINT)
        self.head = tf.keras.layers.Dense(classes, activation="softmax")

    def call(self, inputs):
        return self.head(tf.stop_gradient(self.encoder(inputs).pooler_output))


model = Probe(3)
model.compile(optimizer=tf.keras.optimizers.Adam(), loss="sparse_categorical_crossentropy")
model.fit(inputs, labels)
