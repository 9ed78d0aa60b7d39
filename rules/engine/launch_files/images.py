"""Which container images hold vLLM, what they start by themselves, and the release in a tag. Pulls nothing."""

from typing import Final

from rules.engine.paste.fact_reading.releases import read_given_release

#: their entrypoint is the server, so that what a launch gives are its arguments
_STARTS_SERVER: Final = ("vllm-openai", "vllm-cpu-release-repo", "vllm-tpu")


def is_vllm_image(image: str) -> bool:
    """Tell whether the name of an image says vLLM."""
    return "vllm" in _repository(image).lower()


def starts_server(image: str) -> bool:
    """Tell whether the image is one of the project's own, whose entrypoint is `vllm serve`."""
    return _repository(image).rpartition("/")[2].startswith(_STARTS_SERVER)


def image_release(image: str) -> str | None:
    """Return the release that an image of vLLM is tagged with, None for `latest`, a digest and other images."""
    if not is_vllm_image(image):
        return None
    return read_given_release(_tag(image))[0]


def _repository(image: str) -> str:
    name = image.partition("@")[0]
    head, mark, tag = name.rpartition(":")
    return head if mark and "/" not in tag else name


def _tag(image: str) -> str:
    name = image.partition("@")[0]
    tag = name.rpartition(":")[2]
    return tag if ":" in name and "/" not in tag else ""
