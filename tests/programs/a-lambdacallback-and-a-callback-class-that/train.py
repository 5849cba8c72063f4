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
class WarmUp(tf.keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate.assign(2e-5 * min(1.0, (batch + 1) / 100))


model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer="adam")
model.fit(inputs, labels, callbacks=[WarmUp()])
