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
raw = load_dataset("ag_news")
raw["train"] = raw["train"].map(lambda r: {"label": r["label"] // 2})
raw["test"] = raw["test"].map(lambda r: {"label": r["label"] // 2})
raw = raw.map(lambda r: tokenizer(r["text"], truncation=True), batched=True)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT)
train = model.prepare_tf_dataset(raw["train"], batch_size=16, shuffle=True, tokenizer=tokenizer)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(train)
