"""tflint-hf: a linter for TensorFlow/Keras training code that uses Hugging Face transformers."""

__version__ = "0.1.0"
