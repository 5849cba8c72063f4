"""What preprocessor_config.json of an image or audio checkpoint holds."""

import re

_IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
_HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
_OF_IMAGENET = {"convnext", "convnextv2", "resnet", "regnet", "swin", "segformer", "deit", "cvt", "swiftformer"}
_OF_IMAGENET |= {"efficientformer", "data2vec-vision", "vit_mae"}


def preprocessor(kind, family, bare):
    """The content of the file. Where it says nothing, the defaults of the class hold."""
    settings = {"feature_extractor_type": kind.replace("ImageProcessor", "FeatureExtractor")}
    if not kind.endswith("ImageProcessor"):
        return settings
    settings["image_processor_type"] = kind
    found = re.search(r"-(224|384|256|192|512)(?:-|$)", bare)
    edge = int(found.group(1)) if found else None
    if family in ("vit", "deit", "swin", "swiftformer", "vit_mae", "data2vec-vision", "segformer"):
        edge = edge or (512 if family == "segformer" else 224)
        settings["size"] = {"height": edge, "width": edge}
    elif family in ("convnext", "convnextv2", "resnet", "regnet", "cvt"):
        settings.update(size={"shortest_edge": edge or 224}, crop_pct=0.875)
    if family in _OF_IMAGENET:
        settings.update(_IMAGENET)
    elif family == "vit":
        settings.update(_HALF)
    return settings
