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


model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)
model.compile(tf.keras.optimizers.Adam(3e-5))
stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=1)
save = tf.keras.callbacks.ModelCheckpoint("best", monitor="val_acc", save_best_only=True, save_weights_only=True)
slower = tf.keras.callbacks.ReduceLROnPlateau(monitor="val_loss")
model.fit(encodings, labels, batch_size=8, epochs=2, callbacks=[stop, save, slower])
