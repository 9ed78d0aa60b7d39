"""What a server states in the log of a start, and what it only quotes of its clients."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.start_log import StartLog

LINE = "Using FLASH_ATTN backend."
RECORD = f"(EngineCore_DP0 pid=7) INFO 12-01 14:47:07 [cuda.py:427] {LINE}"
BEGIN = "(APIServer pid=6) INFO 12-01 14:47:06 [api_server.py:1977] vLLM API server version 0.11.2\n"
#: what puts a client's words into a log, on one line: vLLM quotes prompts and servers escape addresses
QUOTING = (
    "(APIServer pid=6) INFO 12-01 14:47:07 [logger.py:43] Received request a: prompt: '{}', params: n=1\n",
    "INFO 12-01 14:47:07 logger.py:37] Received request a: prompt: '{}'\n",
    "(APIServer pid=6) INFO 12-01 14:47:07 [async_llm.py:9] Added request {}.\n",
    '(APIServer pid=6) INFO:     10.0.0.7:51312 - "GET /{} HTTP/1.1" 404 Not Found\n',
    'INFO:     [2001:db8::1]:51312 - "POST /{} HTTP/1.1" 400 Bad Request\n',
)
WORDS = st.lists(
    st.sampled_from(
        [LINE, RECORD, "\u2028", "\x0b", "\x85", "] ", "[cuda.py:4] ", "EngineDeadError", "'", " "]
    )
    | st.text(st.characters(exclude_characters="\r\n"), max_size=9),
    max_size=6,
).map("".join)


@given(st.lists(st.tuples(st.sampled_from(QUOTING), WORDS), min_size=1, max_size=4))
def test_no_words_of_a_client_are_the_server_s(quotes):
    log = StartLog(BEGIN + "".join(how.replace("{}", words) for how, words in quotes))

    assert log.stated([LINE]) is None
    assert log.held([LINE, "EngineDeadError"]) is None


@given(st.text(max_size=400), st.text(min_size=1, max_size=8))
def test_any_log_is_read_and_what_is_found_holds_what_was_sought(text, sought):
    log = StartLog(text)

    for found in (log.stated([sought]), log.held([sought])):
        assert found is None or sought in found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_record_is_found_between_others(end):
    log = StartLog(BEGIN + f"bar 50%{end}{RECORD}{end}bar 99%{end}")

    assert log.stated(["Using TORCH_SDPA backend.", LINE]) == RECORD


def test_a_record_after_the_first_request_states_nothing_and_is_held_all_the_same():
    log = StartLog(BEGIN + QUOTING[0].replace("{}", "hi") + RECORD)

    assert log.stated([LINE]) is None
    assert log.held([LINE]) == RECORD
