"""Have the `from_pretrained` of configurations, tokenizers and processors load stand-in folders."""

from .patching import around_classmethod


class Loading:
    """Replaces the name by the folder of the stand-in, and puts the name back into what was loaded."""

    def __init__(self, checkpoints):
        self._checkpoints = checkpoints

    def wrap(self, owner, method, what, hint=None):
        """Have `owner.method(name, ...)` load a stand-in where the real thing is not on this machine."""

        def load(original, cls, *args, **kwargs):
            name, replace = name_argument(args, kwargs)
            folder = self._checkpoints.folder_for(
                name, what, hint(cls) if hint is not None else None, kwargs.get("cache_dir")
            )
            if folder is None:
                with self._checkpoints.left_to_the_library(name):
                    return original(cls, *args, **kwargs)
            args, kwargs = replace(folder)
            return self.renamed(original(cls, *args, **kwargs), folder, str(name))

        around_classmethod(owner, method, load)

    def renamed(self, loaded, folder, name):
        """The same object, or the same pair of object and unused arguments, with the name it stands for."""
        for each in loaded if isinstance(loaded, tuple) else (loaded,):
            if isinstance(each, dict):
                _rename_items(each, folder, name)
                continue
            for holder in (each, getattr(each, "tokenizer", None)):
                for attribute in ("name_or_path", "_name_or_path"):
                    if str(getattr(holder, attribute, None)) == folder:
                        setattr(holder, attribute, name)
                _rename_items(getattr(holder, "init_kwargs", None), folder, name)
        return loaded


def _rename_items(items, folder, name):
    for key in ("name_or_path", "_name_or_path"):
        if isinstance(items, dict) and str(items.get(key)) == folder:
            items[key] = name


def name_argument(args, kwargs):
    """The name given to a `from_pretrained`, and a function that gives the arguments with another name."""
    key = "pretrained_model_name_or_path"
    if args:
        return args[0], lambda folder: ((folder, *args[1:]), kwargs)
    if key in kwargs:
        return kwargs[key], lambda folder: (args, dict(kwargs, **{key: folder}))
    return None, None


def _family_of_config_class(cls):
    return getattr(cls, "model_type", "") or None


_TOKENIZERS = (
    ("xlm_roberta", "xlm-roberta"),
    ("roberta_prelayernorm", "roberta-prelayernorm"),
    ("deberta_v2", "deberta-v2"),
    ("mbart50", "mbart"),
    ("openai", "openai-gpt"),
)


def _family_of_module(cls):
    """transformers keeps what belongs to a family in transformers.models.FAMILY."""
    parts = cls.__module__.split(".")
    if len(parts) < 3 or parts[:2] != ["transformers", "models"] or parts[2] == "auto":
        return None
    return dict(_TOKENIZERS).get(parts[2], parts[2].replace("_", "-") if parts[2] != "vit_mae" else parts[2])


def install(context, checkpoints):
    """Patch each class once its module is imported."""
    loading = Loading(checkpoints)

    def after(module, class_name, what, hint=None, method="from_pretrained"):
        def patch(imported):
            owner = getattr(imported, class_name, None)
            if owner is not None:
                loading.wrap(owner, method, what, hint)

        context.after_import.call(module, patch)

    auto = "transformers.models.auto."
    after(auto + "configuration_auto", "AutoConfig", "configuration")
    after("transformers.configuration_utils", "PretrainedConfig", "configuration", _family_of_config_class)
    after("transformers.configuration_utils", "PretrainedConfig", "configuration", None, "get_config_dict")
    after("transformers.generation.configuration_utils", "GenerationConfig", "configuration")
    after(auto + "tokenization_auto", "AutoTokenizer", "tokenizer")
    after("transformers.tokenization_utils_base", "PreTrainedTokenizerBase", "tokenizer", _family_of_module)
    after(auto + "image_processing_auto", "AutoImageProcessor", "image processor")
    after(auto + "feature_extraction_auto", "AutoFeatureExtractor", "image processor")
    after(auto + "processing_auto", "AutoProcessor", "processor")
    image = ("image_processing_utils", "image_processing_base")
    for module in image:
        after("transformers." + module, "ImageProcessingMixin", "image processor", _family_of_module)
    after("transformers.feature_extraction_utils", "FeatureExtractionMixin", "image processor", _family_of_module)
    after("transformers.processing_utils", "ProcessorMixin", "processor", _family_of_module)
    return loading
