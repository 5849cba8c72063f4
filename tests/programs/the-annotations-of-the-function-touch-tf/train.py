import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification, pipeline


def make_optimizer(rate: tf.keras.optimizers.schedules.LearningRateSchedule = None) -> tf.keras.optimizers.Optimizer:
    return tf.keras.optimizers.Adam(2e-5)


model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer=make_optimizer())
model.fit({"input_ids": tf.ones((2, 4), tf.int32)}, tf.constant([0, 1]))
