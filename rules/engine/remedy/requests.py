"""Requests to a running server as shell commands that can be copied. Not for sending them."""

import json
import shlex
from functools import lru_cache

from rules.engine.paste.facts import Facts

#: a plain red picture of 64 x 64 pixels: larger than the smallest patch that encoders accept
RED_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQE"
    "BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC"
)
#: asks the server itself for the name, where nobody told it
_FIND_NAME = (
    "MODEL=$(curl -fsS {base}/v1/models"
    ' | python3 -c \'import json, sys; print(json.load(sys.stdin)["data"][0]["id"])\')'
)


def models(facts: Facts) -> str:
    """Return the request for the list of served models."""
    return f"curl -fsS {_base(facts)}/v1/models"


def completion(facts: Facts, *, image: bool) -> str:
    """Return one real request, with a small picture where the vision encoder is concerned."""
    return _completion(_base(facts), facts.flags.get("--served-model-name") or facts.model, image=image)


@lru_cache(maxsize=64)
def _completion(base: str, name: str | None, *, image: bool) -> str:
    body = _body(name or "@MODEL@", image=image)
    if name:
        return _post(base, shlex.quote(body))
    # the name comes from a variable, between two quoted parts of the body
    before, after = body.split("@MODEL@")
    data = f'{shlex.quote(before)}"$MODEL"{shlex.quote(after)}'
    return f"{_FIND_NAME.replace('{base}', base)} && {_post(base, data)}"


def _post(base: str, data: str) -> str:
    return f"curl -fsS {base}/v1/chat/completions -H 'Content-Type: application/json' -d {data}"


def _base(facts: Facts) -> str:
    port = facts.flags.get("--port", "")
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
