import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFAutoModel, TFAutoModelForSequenceClassification
from datasets import load_dataset
from transformers import DataCollatorWithPadding

CHECKPOINT = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
collator = DataCollatorWithPadding(tokenizer, return_tensors="np")
raw = load_dataset("rotten_tomatoes").map(lambda r: tokenizer(r["text"], truncation=True), batched=True)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)
feeds = {name: model.prepare_tf_dataset(part, batch_size=16, tokenizer=tokenizer) for name, part in raw.items()}
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(feeds["train"], validation_data=feeds["validation"])
print(model.predict(feeds["test"]).logits.argmax(-1))
