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


from transformers import TFBertModel

ids = tf.keras.Input((None,), dtype="int32", name="input_ids")
mask = tf.keras.Input((None,), dtype="int32", name="attention_mask")
pooled = TFBertModel.from_pretrained("bert-base-uncased")(ids, attention_mask=mask)[1]
model = tf.keras.Model([ids, mask], tf.keras.layers.Dense(1, activation="sigmoid")(pooled))
model.compile(tf.keras.optimizers.Adam(3e-5), loss="binary_crossentropy")
train = tf.data.Dataset.from_tensor_slices({"input_ids": encodings["input_ids"], "attention_mask": encodings["attention_mask"], "labels": labels}).batch(8)
model.fit(train, epochs=2)
