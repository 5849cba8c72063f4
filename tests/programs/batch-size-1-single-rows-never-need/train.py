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
raw = load_dataset("imdb", split="train").map(lambda r: tokenizer(r["text"], truncation=True), batched=True)
train = raw.to_tf_dataset(columns=["input_ids", "attention_mask"], label_cols=["label"], batch_size=1, shuffle=True)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(train)
