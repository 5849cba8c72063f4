"""The configuration of a stand-in: small where a model costs time, as the real one where a program can see it."""

_WIDTHS = """hidden_size d_model n_embd emb_dim dim embedding_size pooler_hidden_size projection_dim true_hidden_size
intra_bottleneck_size word_embed_proj_dim input_embedding_size pooler_output_size image_text_hidden_size
decoder_hidden_size d_embed encoder_hidden_size"""
_INNER = """intermediate_size hidden_dim n_inner d_ff d_inner ffn_dim dff encoder_ffn_dim decoder_ffn_dim
decoder_intermediate_size output_embedding_size projection_intermediate_dim"""
_LAYERS = """num_hidden_layers num_layers n_layers n_layer encoder_layers decoder_layers num_decoder_layers l_layers
x_layers r_layers decoder_num_hidden_layers"""
_HEADS = """num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads attention_heads
num_key_value_heads decoder_num_attention_heads"""
_HEAD_WIDTHS = "d_kv d_head head_dim"

SMALL = {}
SMALL.update(dict.fromkeys(_WIDTHS.split(), 32))
SMALL.update(dict.fromkeys(_INNER.split(), 64))
SMALL.update(dict.fromkeys(_LAYERS.split(), 2))
SMALL.update(dict.fromkeys(_HEADS.split(), 2))
SMALL.update(dict.fromkeys(_HEAD_WIDTHS.split(), 16))
SMALL["rotary_dim"] = 8

# What is computed from other sizes must not be written, and some families hold their sizes in lists.
OF_FAMILY = {
    "convnext": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "convnextv2": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "cvt": {"embed_dim": [16, 16, 32], "num_heads": [1, 1, 2], "depth": [1, 1, 1]},
    "efficientformer": {
        "hidden_sizes": [16, 16, 24, 32],
        "depths": [1, 1, 1, 2],
        "dim": 32,
        "key_dim": 8,
        "num_hidden_layers": 5,
        "num_meta3d_blocks": 1,
    },
    "funnel": {"block_sizes": [1, 1], "block_repeats": [1, 1], "num_decoder_layers": 1, "num_hidden_layers": None},
    "gptj": {"rotary_dim": 8},
    "hubert": {"conv_dim": [16] * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2},
    "layoutlmv3": {"coordinate_size": 5, "shape_size": 6},
    "lxmert": {"num_hidden_layers": None},
    "mobilebert": {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16},
    "mobilevit": {"hidden_sizes": [16, 16, 16], "neck_hidden_sizes": [8, 8, 8, 16, 16, 16, 32]},
    "regnet": {"embedding_size": 8, "hidden_sizes": [16, 16, 24, 32], "depths": [1, 1, 1, 1], "groups_width": 8},
    "resnet": {"embedding_size": 8, "hidden_sizes": [16, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "segformer": {
        "hidden_sizes": [8, 16, 24, 32],
        "depths": [1, 1, 1, 1],
        "num_attention_heads": [1, 1, 2, 2],
    },
    "speech_to_text": {"conv_channels": 32},
    "swiftformer": {"embed_dims": [16, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "swin": {
        "embed_dim": 16,
        "depths": [1, 1, 1, 1],
        "num_heads": [1, 1, 2, 2],
        "num_layers": None,
        "hidden_size": None,
    },
    "transfo-xl": {"cutoffs": [1000, 2000], "d_embed": 32, "mem_len": 16},
    "wav2vec2": {"conv_dim": [16] * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2},
}


def small_sizes(values, model_type):
    """Of the values of a configuration those that must change to make it small."""
    sizes = {}
    for name, value in values.items():
        if isinstance(value, dict) and "model_type" in value:
            sizes[name] = dict(small_sizes(value, value["model_type"]), model_type=value["model_type"])
        elif name in SMALL and isinstance(value, int) and not isinstance(value, bool) and value > SMALL[name]:
            sizes[name] = SMALL[name]
    sizes.update(OF_FAMILY.get(model_type, {}))
    return {name: value for name, value in sizes.items() if value is not None}


def shrink(config):
    """Make a configuration object small in place; nothing where it is small already."""
    for name, value in small_sizes(config.to_dict(), config.model_type).items():
        old = getattr(config, name, None)
        if isinstance(value, dict):
            if old is not None and hasattr(old, "to_dict"):
                shrink(old)
        elif old != value:
            setattr(config, name, value)
