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


from transformers import TFAutoModelForQuestionAnswering

model = TFAutoModelForQuestionAnswering.from_pretrained("bert-base-uncased")
crossentropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(tf.keras.optimizers.Adam(3e-5), loss={"start_positions": crossentropy, "end_positions": crossentropy})
model.fit(encodings, {"start_positions": np.ones(24, int), "end_positions": np.ones(24, int) * 2}, batch_size=8, epochs=3)
