"""Requests to a running server as shell commands that can be copied. Not for sending them."""

import json
import shlex
from functools import lru_cache

from rules.engine.paste.facts import Facts
from rules.engine.remedy.launch.container import published_port
from rules.engine.remedy.launch.masked import is_masked

#: a plain red picture of 64 x 64 pixels: larger than the smallest patch that encoders accept
RED_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQE"
    "BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC"
)
#: asks the server itself for the name, where nobody told it
_FIND_NAME = (
    "MODEL=$(curl -fsS {base}/v1/models{key}"
    ' | python3 -c \'import json, sys; print(json.load(sys.stdin)["data"][0]["id"])\')'
)
_KEY = ' -H "Authorization: Bearer ${VLLM_API_KEY:?set VLLM_API_KEY to the key of the server}"'


def models(facts: Facts) -> str:
    """Return the request for the list of served models."""
    return f"curl -fsS {_base(facts)}/v1/models{_key(facts)}"


def completion(facts: Facts, *, image: bool) -> str:
    """Return one real request, with a small picture where the vision encoder is concerned."""
    name = facts.flags.get("--served-model-name") or facts.model
    usable = None if name is None or is_masked(name) else name
    return _completion(_base(facts), usable, _key(facts), image=image)


def _key(facts: Facts) -> str:
    """Return the header of a server that asks for a key, which is taken from the shell and never shown."""
    return _KEY if "--api-key" in (*facts.flags, *facts.argv) or "VLLM_API_KEY" in facts.env else ""


@lru_cache(maxsize=64)
def _completion(base: str, name: str | None, key: str, *, image: bool) -> str:
    body = _body(name or "@MODEL@", image=image)
    if name:
        return _post(base, key, shlex.quote(body))
    # the name comes from a variable, between two quoted parts of the body
    before, after = body.split("@MODEL@")
    data = f'{shlex.quote(before)}"$MODEL"{shlex.quote(after)}'
    return f"{_FIND_NAME.replace('{base}', base).replace('{key}', key)} && {_post(base, key, data)}"


def _post(base: str, key: str, data: str) -> str:
    return f"curl -fsS {base}/v1/chat/completions{key} -H 'Content-Type: application/json' -d {data}"


def _base(facts: Facts) -> str:
    port = published_port(facts) or facts.flags.get("--port", "")
    return f"http://localhost:{port if port.isdigit() else '8000'}"


def _body(name: str, *, image: bool) -> str:
    question = (
        "Name the colour of this picture in one word." if image else "Name the capital of France in one word."
    )
    content: object = question
    if image:
        url = f"data:image/png;base64,{RED_PNG}"
        content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": question}]
    message = {"role": "user", "content": content}
    return json.dumps({"model": name, "max_tokens": 16, "temperature": 0, "messages": [message]})
