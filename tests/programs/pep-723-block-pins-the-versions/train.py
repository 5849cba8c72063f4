# /// script
# requires-python = ">=3.10"
# dependencies = ["tensorflow==2.15.*", "transformers==4.37.2", "datasets<3"]
# ///
import numpy as np
from tensorflow.keras.optimizers import Adam
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification
from datasets import load_metric

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
inputs = dict(tokenizer(["good", "bad"], padding=True, return_tensors="np"))
model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer=Adam(2e-5))
model.fit(inputs, np.array([1, 0]))
