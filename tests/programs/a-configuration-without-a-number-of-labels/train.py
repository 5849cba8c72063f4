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
from transformers import AutoConfig

news = load_dataset("ag_news").map(lambda r: tokenizer(r["text"], truncation=True), batched=True)
config = AutoConfig.from_pretrained(CHECKPOINT, dropout=0.2)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, config=config)
train = model.prepare_tf_dataset(news["train"], batch_size=16, shuffle=True, tokenizer=tokenizer)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(train, epochs=1)
