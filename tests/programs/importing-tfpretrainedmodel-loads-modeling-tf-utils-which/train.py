import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification, TFPreTrainedModel

EARLY = tf.keras.callbacks.EarlyStopping(monitor="loss")
model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit({"input_ids": tf.ones((2, 4), tf.int32)}, tf.constant([0, 1]), callbacks=[EARLY])
