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
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.bert = TFAutoModel.from_pretrained(CHECKPOINT)
        self.out = tf.keras.layers.Dense(3, activation="softmax")

    def call(self, inputs, training=False):
        return self.out(self.bert(inputs["input_ids"], attention_mask=inputs["attention_mask"]).pooler_output)


rows = {**inputs, "labels": labels}
feed = tf.data.Dataset.from_tensor_slices(rows).shuffle(4).batch(2)
model = Net()
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5), loss="sparse_categorical_crossentropy")
model.fit(feed)
