"""The seed's line comes out the same however it was pasted."""

import json
import textwrap

import pytest

from rules.engine.paste.evidence import Evidence
from rules.engine.paste.reading import MOST_LINES, is_whole, read_paste, read_window
from rules.engine.paste.rootcause import find_root_cause
from rules.engine.paste.told.language import asker_language

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
RECORD = f"ERROR 11-28 07:55:57 [multiproc_executor.py:743] {SEED}"
WORKER = f"(Worker_TP0 pid=3) {RECORD}"


def root_text(evidence: Evidence) -> str | None:
    root = find_root_cause(evidence.lines).root
    return root.text if root else None


@pytest.mark.parametrize(
    "text",
    [
        SEED,
        RECORD,
        WORKER,
        f"(APIServer pid=1) (EngineCore_DP0 pid=2) {WORKER}",
        f"ERROR 11-28 07:55:57 multiproc_executor.py:743] {SEED}",
        f"\x1b[1;36m(Worker_TP0 pid=3)\x1b[0;0m {RECORD}",
        f"^[[1;36m(Worker_TP0 pid=3)^[[0;0m {RECORD}",
        f"[1;36m(Worker_TP0 pid=3)[0;0m {RECORD}",
        f"**{WORKER}**",
        f"**{WORKER}",
        f"`{SEED}`",
        f"```\n{WORKER}\n```",
        f"> {WORKER}",
        f"<pre><code>{WORKER}</code></pre>",
        f"vllm-1  | {WORKER}",
        f"Feb 04 08:47:08 gpu-host vllm[477991]: {WORKER}",
        f"2025-02-04T08:47:08.123456789Z stderr F {WORKER}",
        f"[pod/vllm-0/server] {WORKER}",
        f"(RayWorkerWrapper pid=3487, ip=192.0.2.7) {RECORD}",
        f"[rank0]: {SEED}",
        json.dumps({"log": WORKER + "\n", "stream": "stderr", "time": "2025-02-04T08:47:08Z"}),
        json.dumps({"message": SEED, "level": "ERROR", "timestamp": 1}),
        WORKER.replace("\n", "\r\n") + "\r\n",
        WORKER.replace(" ", "\u00a0"),
        WORKER.replace("-VL", "\u200b-VL"),
        WORKER.replace("(", "&#40;").replace("&#40;", "("),
        "\n".join(textwrap.wrap(WORKER, 80, break_long_words=False, break_on_hyphens=False)),
        "\n".join(WORKER[start : start + 80] for start in range(0, len(WORKER), 80)),
        "\n".join(
            "> " + line for line in textwrap.wrap(WORKER, 80, break_long_words=False, break_on_hyphens=False)
        ),
        f"@@@ header @@@\n\n{WORKER}\n\nthanks",
        f"Hi, since the update my server dies:\n{WORKER}\nWhat can I do?",
        f"大家好，我启动 Qwen3-VL 时报错：\n{WORKER}\n请问怎么解决？",
        "core.py:743] " + SEED,
        "] " + SEED,
    ],
)
def test_the_line_is_found_and_is_the_cause(text):
    evidence = read_paste(text)

    assert SEED in [line.text for line in evidence.lines]
    assert root_text(evidence) == SEED


@pytest.mark.parametrize(
    "text",
    [
        f"启动时报错：{SEED}",
        f"[Bug]: {SEED}",
        f"I get “{SEED}” since yesterday",
        f"报错“{SEED}”怎么办？",
        f"it says `{SEED}` and stops",
    ],
)
def test_inside_a_sentence_the_line_is_still_the_cause(text):
    found = root_text(read_paste(text))

    assert found is not None
    assert SEED.rstrip(".") in found


def test_bytes_and_text_are_read_alike():
    text = f"大家好\n{WORKER}"

    assert read_paste(text.encode()) == read_paste(text) == read_paste(text.encode("utf-16"))


def test_a_window_of_a_larger_log_keeps_the_numbers_of_the_log():
    evidence = read_window([b"INFO: x", WORKER.encode()], 5001)

    assert [(line.number, line.text) for line in evidence.lines] == [(5001, "x"), (5002, SEED)]
    assert evidence.partial


def test_secrets_are_counted_and_never_in_the_evidence():
    evidence = read_paste(f"HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz123456 vllm serve m\n{WORKER}\n")

    assert evidence.redacted == 1
    assert "hf_abc" not in evidence.text()


def test_a_secret_that_a_terminal_broke_is_masked():
    line = (
        f"RuntimeError: could not log in with the token that was given, "
        f"which is hf_{'a1b2c3d4e5' * 4} on this host."
    )
    broken = "\n".join(line[start : start + 80] for start in range(0, len(line), 80))

    assert "a1b2c3d4e5" not in read_paste(broken).text()


def test_what_is_read_whole_is_limited_in_bytes_and_lines():
    assert is_whole("x" * 1000)
    assert is_whole(b"x" * (1 << 20))
    assert not is_whole(b"x" * ((1 << 20) + 1))
    assert not is_whole("\n" * (MOST_LINES + 1))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (WORKER, "en"),
        (f"please help\n{WORKER}", "en"),
        (f"请问怎么解决？\n{WORKER}", "zh"),
        (f"报错了 {SEED}", "zh"),
        (f"エラーが出ます、助けてください\n{WORKER}", "en"),
        ("(EngineCore pid=1) INFO 11-28 07:55:57 [a.py:1] 你好，我是一个助手", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_the_asker_is_that_of_the_prose(text, language):
    assert asker_language(read_paste(text).lines) == language
