import numpy as np
import tensorflow as tf
from datasets import Dataset, DatasetDict
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

texts = ["the film was good", "a bad plot", "we loved it", "not great", "the actor was fine", "very boring story"] * 4
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
encodings = dict(tokenizer(texts, padding=True, return_tensors="np"))
labels = np.array([0, 1, 2, 1, 0, 2] * 4)
rows = Dataset.from_dict({"text": texts, "label": labels.tolist()})
tokenized = rows.map(lambda row: tokenizer(row["text"]), batched=True, remove_columns=["text"])


from transformers import create_optimizer

epochs = 3
optimizer, schedule = create_optimizer(2e-5, num_train_steps=epochs, num_warmup_steps=0)
model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)
model.compile(optimizer)
class Rate(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["lr"] = float(self.model.optimizer.learning_rate)
model.fit(encodings, labels, batch_size=8, epochs=epochs, callbacks=[Rate()])
