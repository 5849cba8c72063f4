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
import click


@click.command()
@click.option("--lr", default=1e-3, show_default=True)
@click.option("--epochs", default=3)
def main(lr, epochs):
    model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
    optimizer = tf.keras.optimizers.Adam(learning_rate=lr)
    model.compile(optimizer=optimizer)
    model.fit(inputs, labels, epochs=epochs)


if __name__ == "__main__":
    main()
