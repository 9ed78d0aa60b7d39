"""Words of vLLM's messages, to tell a word from half of one where a line was cut. Not a spelling checker."""

from typing import Final

#: after these a sentence goes on
_DANGLING_TEXT: Final = """
a an the of to in on at by for with from into and or not no is are was were be been has have had
does do did that this than as it its if when while only set use using used can cannot could should
must may please support supports supported more most less least larger greater smaller because due
based try consider make sure running failed unable requires reason: reasons:
"""
DANGLING: Final = frozenset(_DANGLING_TEXT.split())

_COMMON_TEXT: Final = """
accept accepted access address after all allocate allocated allowed already also any argument
arguments available attention attn backend backends because before between block blocks both build
but cache call called capability card change check checkpoint class code command compatible compile
compiled computing compute config configuration connection consider context core cuda current data
decode decoder decrease default device devices dimension directory disable driver dtype each enable
encoder engine environment error exception executing execution expected failed file files first flag
flash following format found function gib given gpu gpus graph greater group head heads higher image
images implemented increase increasing index initialization initialize initializing input install
installed instead invalid issue kernel key keys kv language layer layers length less limit list load
loading local log logits lower match max maximum memory message method min minimum missing mode
model models module modules multimodal name named needed newer now number numbers object one op open
operation operator option options other out output outside package parallel parameter parameters
pass path pipeline platform please position process processes provided quantization rank raise read
reason reasons reduce reducing requested request require required requires root run running runtime
see selected sequence server set setting shape shared size sizes smaller soft specified stack start
started startup stop system tensor tensors text than then this time token tokens trace try trying
two type under unexpected unknown unsupported update upgrade usage user utilization valid value
values variable version vision was weight weights which will with without worker workers world wrong
xformers you your
aiter compute cudagraph dcp draft flashinfer fp8 full gqa hidden indexer latent mamba mla moe non nvfp4 only
paged prefill query quantized rocm scaling scheduling sink sinks sliding soft sparse speculative uniform
vision vit vllm window xpu yet
"""
_COMMON: Final = frozenset(_COMMON_TEXT.split())
#: identifiers that are often cut because they are long
_IDENTIFIERS: Final = (
    "AttentionBackendEnum",
    "_Backend",
    "VLLM_ATTENTION_BACKEND",
    "FLASHINFER",
    "FLASH_ATTN",
    "TRITON_ATTN",
    "FLEX_ATTENTION",
    "TORCH_SDPA",
    "XFORMERS",
    "AttentionSelectorConfig",
    "gpu_memory_utilization",
    "max_model_len",
    "compute capability",
    "initialization",
)
_EXCEPTIONS: Final = frozenset(
    {
        "RuntimeError",
        "ValueError",
        "TypeError",
        "AssertionError",
        "ImportError",
        "ModuleNotFoundError",
        "KeyError",
        "OSError",
    }
    | {
        "AttributeError",
        "NotImplementedError",
        "FileNotFoundError",
        "PermissionError",
        "TimeoutError",
        "IndexError",
    }
    | {
        "ValidationError",
        "OutOfMemoryError",
        "AcceleratorError",
        "EngineDeadError",
        "ConnectionError",
        "MemoryError",
    }
)
_ERROR_ENDINGS: Final = ("Error:", "Error", "Exception:", "Exception")
_TRIM: Final = "\"'`()[]{}.,:;!?"


def is_word(token: str) -> bool:
    """Tell whether a token is a whole word of a message, a known identifier or a number."""
    bare = token.strip(_TRIM)
    if not bare:
        return True
    return _is_known(bare) or bare.isdigit()


def _is_known(bare: str) -> bool:
    """Tell whether a bare token is a word, or an identifier with a whole member after its dot."""
    lowered = bare.lower()
    if lowered in _COMMON or lowered in DANGLING or bare in _IDENTIFIERS:
        return True
    head, dot, member = bare.partition(".")
    return bool(dot) and head in _IDENTIFIERS and member in _IDENTIFIERS


def is_dangling(token: str) -> bool:
    """Tell whether a sentence cannot end with this token."""
    return token.strip("\"'`").lower() in DANGLING or token[-1:] in ",([{=/-+&|"


def belongs_together(left: str, right: str) -> bool:
    """Tell whether two tokens are halves of one: glued they are a known word, apart they are not."""
    start, end = left.strip(_TRIM), right.strip(_TRIM)
    if not start or not end:
        return False
    if left[-1:] == "." and start in _IDENTIFIERS:
        return True
    if (left + right).rstrip(":") in _EXCEPTIONS:
        return True
    if (left + right).endswith(_ERROR_ENDINGS) and not left.endswith(_ERROR_ENDINGS):
        return not is_word(left)
    if _is_known((left + right).strip(_TRIM)):
        return not (is_word(left) and is_word(right))
    glued = start + end
    begun = any(
        name.startswith(start) and name != start and len(start) > 2
        and (name.startswith(glued) or glued.startswith(name))
        for name in _IDENTIFIERS
    )  # fmt: skip
    return begun and not is_word(right)
