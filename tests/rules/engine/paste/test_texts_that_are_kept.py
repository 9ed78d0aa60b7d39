"""What is kept of a paste holds no secret, however it was hidden, and is otherwise what was sent."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.keeping import kept_text
from rules.engine.paste.masking import mask

TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456"
PASSWORD = "hunter2secretpw"
START = (
    "(EngineCore_DP0 pid=12) INFO 11-28 07:55:57 [core.py:93] Initializing a V1 LLM engine (v0.11.2) with config: "
    f"model='/models/a', hf_token='{TOKEN}', trust_remote_code=False, dtype=torch.bfloat16, max_seq_len=32768"
)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"\x1b[32m{TOKEN}\x1b[0m", TOKEN),
        (f"[32m{TOKEN}[0m", TOKEN),
        (f"{TOKEN[:12]}\u200b{TOKEN[12:]}", TOKEN[12:]),
        (f"{TOKEN[:12]}\x1b[0m{TOKEN[12:]}", TOKEN[12:]),
        (f"\x1b[1;31mpassword\x1b[0m: \x1b[32m{PASSWORD}", PASSWORD),
        (f"\x1b[1mexport HF_TOKEN\x1b[0m={PASSWORD}", PASSWORD),
        ("peer \x1b[1m203.0.113.77\x1b[0m left", "203.0.113.77"),
        (f"curl -H &quot;Authorization: Bearer {PASSWORD}&quot; localhost", PASSWORD),
    ],
)
def test_a_secret_behind_colours_or_escapes_is_masked(text, secret):
    kept, count = kept_text(text)

    assert secret not in kept
    assert count >= 1


@pytest.mark.parametrize("width", [118, 130, 150])
def test_a_secret_that_a_terminal_broke_in_two_is_masked(width):
    broken = "\n".join(textwrap.wrap(START, width, break_long_words=True, break_on_hyphens=False))
    pieces = [TOKEN[at : at + 12] for at in range(3, len(TOKEN) - 12)]

    kept, _ = kept_text(f"{broken}\nRuntimeError: no")

    assert not [piece for piece in pieces if piece in kept]


def test_a_text_without_secrets_is_kept_as_it_was_sent():
    text = "\x1b[31mERROR\x1b[0m &lt;class&gt; 5%|#\r10%|## \u201cq\u201d\nRuntimeError: no\n"

    assert kept_text(text) == (text, 0)


@given(st.text(max_size=200))
def test_what_is_kept_once_is_kept_the_same_again(text):
    kept, _ = kept_text(text)

    assert kept_text(kept) == (kept, 0)
    assert mask(kept) == (kept, 0)
