import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification

tf.random.set_seed(1)
optimizer = tf.optimizers.Adam(2e-5)
model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer=optimizer)
model.fit({"input_ids": tf.ones((2, 4), tf.int32)}, tf.constant([0, 1]))
