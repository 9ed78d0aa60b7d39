"""What no list may open: settings that run code, carry secrets, or lead somewhere else. Not for the host's own list."""

from __future__ import annotations

import re

#: variables by the whole name or by how it begins or ends
_NAMES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "SHELL",
        "IFS",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
        "GCONV_PATH",
        "NODE_OPTIONS",
        "VIRTUAL_ENV",
        "HF_TOKEN",
        "HF_ENDPOINT",
        "HUGGING_FACE_HUB_TOKEN",
        "VLLM_PLUGINS",
        "VLLM_API_KEY",
        "VLLM_ALLOW_INSECURE_SERIALIZATION",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING",
        "VLLM_SERVER_DEV_MODE",
        "VLLM_MODEL_REDIRECT_PATH",
        "VLLM_CONFIG_ROOT",
        "VLLM_CACHE_ROOT",
    }
)
_BEGINNINGS = (
    "LD_",
    "PYTHON",
    "PIP_",
    "CONDA_",
    "BASH_FUNC_",
    "GIT_",
    "SSH_",
    "AWS_",
    "DYLD_",
    "RELAUNCH_",
    "SETPROCTITLE",
)
_ENDINGS = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PROXY|LIB|LIBRARY|SO_PATH|CMD|COMMAND"
    r"|PLUGINS?|URL|ENDPOINT)\Z"
)
#: flags by their long name
_FLAGS = frozenset(
    {
        "--trust-remote-code",
        "--api-key",
        "--host",
        "--port",
        "--uds",
        "--model",
        "--model-tag",
        "--tokenizer",
        "--config",
        "--config-format",
        "--code-revision",
        "--revision",
        "--tokenizer-revision",
        "--hf-token",
        "--hf-config-path",
        "--hf-overrides",
        "--download-dir",
        "--model-loader-extra-config",
        "--chat-template",
        "--lora-modules",
        "--prompt-adapters",
        "--middleware",
        "--root-path",
        "--tool-parser-plugin",
        "--reasoning-parser-plugin",
        "--io-processor-plugin",
        "--logits-processors",
        "--logits-processor-pattern",
        "--worker-cls",
        "--worker-extension-cls",
        "--scheduler-cls",
        "--kv-transfer-config",
        "--ec-transfer-config",
        "--additional-config",
        "--allowed-local-media-path",
        "--allowed-media-domains",
        "--media-io-kwargs",
        "--allowed-origins",
        "--allow-credentials",
        "--log-config-file",
        "--otlp-traces-endpoint",
        "--collect-detailed-traces",
        "--profiler-config",
        "--data-parallel-address",
        "--master-addr",
    }
)
_FLAG_BEGINNINGS = ("--ssl-", "--trust-")


def is_never_env(name: str) -> bool:
    """Tell whether a variable may be neither set nor removed, whatever the host's list says."""
    upper = name.upper()
    return upper in _NAMES or upper.startswith(_BEGINNINGS) or _ENDINGS.search(upper) is not None


def is_never_flag(name: str) -> bool:
    """Tell whether a flag may be neither set nor dropped, whatever the host's list says."""
    plain = name.lower().replace("_", "-").split(".", 1)[0]
    return plain in _FLAGS or plain.startswith(_FLAG_BEGINNINGS)
