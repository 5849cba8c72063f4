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
reviews = load_dataset("imdb")
for split in ("train", "test"):
    reviews[split] = reviews[split].shuffle(seed=7)
reviews = reviews.map(lambda r: tokenizer(r["text"], truncation=True), batched=True)
train = reviews["train"].to_tf_dataset(
    columns=["input_ids", "attention_mask"], label_cols=["labels"], batch_size=16, collate_fn=collator
)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(train, epochs=1)
