"""A model of random weights, small enough to start in seconds on a CPU. Needs safetensors, numpy and tokenizers."""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

#: the sizes that the start-up checks see
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "vocab_size": 320,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "hidden_act": "silu",
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-06,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "attention_bias": False,
    "torch_dtype": "bfloat16",
}
_END = "<|end|>"
_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"
)


def write_model(folder: Path) -> None:
    """Write configuration, tokenizer and weights into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_tokenizer(folder)
    _write_weights(folder)
    _write_json(folder / "config.json", CONFIG)


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _write_tokenizer(folder: Path) -> None:
    """One token for each byte, so that nothing is trained."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(_END, special=True)])
    tokenizer.save(str(folder / "tokenizer.json"))
    end = tokenizer.token_to_id(_END)
    _write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": CONFIG["max_position_embeddings"],
            "eos_token": _END,
            "pad_token": _END,
            "chat_template": _TEMPLATE,
        },
    )
    _write_json(folder / "generation_config.json", {"eos_token_id": end, "pad_token_id": end})


def _write_weights(folder: Path) -> None:
    generator = np.random.default_rng(7)
    hidden, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    heads = CONFIG["num_attention_heads"] * CONFIG["head_dim"]
    groups = CONFIG["num_key_value_heads"] * CONFIG["head_dim"]
    shapes = {"model.embed_tokens.weight": (CONFIG["vocab_size"], hidden), "model.norm.weight": (hidden,)}
    for number in range(CONFIG["num_hidden_layers"]):
        layer = f"model.layers.{number}"
        shapes |= {
            f"{layer}.input_layernorm.weight": (hidden,),
            f"{layer}.post_attention_layernorm.weight": (hidden,),
            f"{layer}.self_attn.q_proj.weight": (heads, hidden),
            f"{layer}.self_attn.k_proj.weight": (groups, hidden),
            f"{layer}.self_attn.v_proj.weight": (groups, hidden),
            f"{layer}.self_attn.o_proj.weight": (hidden, heads),
            f"{layer}.self_attn.q_norm.weight": (CONFIG["head_dim"],),
            f"{layer}.self_attn.k_norm.weight": (CONFIG["head_dim"],),
            f"{layer}.mlp.gate_proj.weight": (inner, hidden),
            f"{layer}.mlp.up_proj.weight": (inner, hidden),
            f"{layer}.mlp.down_proj.weight": (hidden, inner),
        }
    weights = {
        name: np.ones(shape, np.float32)
        if len(shape) == 1
        else (generator.standard_normal(shape) * 0.05).astype(np.float32)
        for name, shape in shapes.items()
    }
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})


if __name__ == "__main__":
    write_model(Path(sys.argv[1]))
