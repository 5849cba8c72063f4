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
from functools import wraps


def logits_only(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs).logits

    return inner


@logits_only
def predict(model, x):
    return model.predict(x)


model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(inputs, labels)
print(np.argmax(predict(model, inputs), axis=1))
