"""What holds a log, or none at all, is said to be so and never called healthy."""

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.answer.sniffing import Input
from tests.bot.cli.running import process, run

SEED = (
    "ERROR 11-28 07:55:57 [multiproc_executor.py:743] RuntimeError: "
    "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.\n"
)
CHINESE = "启动服务的时候报错，请问怎么解决？\n" + SEED


def _zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("vllm.log", data)
    return file.getvalue()


PACKED = {
    "zcat": gzip.compress(SEED.encode()),
    "bzcat": bz2.compress(SEED.encode()),
    "xzcat": lzma.compress(SEED.encode()),
    "unzip -p": _zip(SEED.encode()),
    "zstdcat": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
}


@pytest.mark.parametrize("program", PACKED)
@pytest.mark.parametrize("is_piped", [True, False])
def test_a_compressed_log_is_refused_with_the_command_that_unpacks_it(
    program, is_piped, tmp_path, capsys, monkeypatch
):
    path = tmp_path / "vllm.log.packed"
    path.write_bytes(PACKED[program])

    name = "-" if is_piped else str(path)
    outcome = run(capsys, monkeypatch, "diagnose", name, stdin=PACKED[program])

    assert outcome.code == 65
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert f"{program} FILE | vllm-diagnose diagnose -" in outcome.err
    assert ("standard input" if is_piped else str(path)) in outcome.err


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_noise_is_refused_as_no_text(size, capsys, monkeypatch):
    noise = b"\x01" + random.Random(7).randbytes(size)  # noqa: S311 (no secret)

    outcome = run(capsys, monkeypatch, "diagnose", "-", stdin=noise)

    assert outcome.code == 65
    assert outcome.err == ("vllm-diagnose: standard input: this is not text; give the log as plain text\n")


@pytest.mark.parametrize(
    "data",
    [
        SEED.encode(),
        CHINESE.encode("utf-8"),
        CHINESE.encode("gbk") * 20,
        CHINESE.encode("utf-16"),
        SEED.encode("utf-16-le") * 20,
        b"\0" * 5_000 + SEED.encode() * 3,
        b"".join(b"\x02\0\0\0\0\0\0\x9f" + SEED.encode() for _ in range(50)),
    ],
    ids=["ascii", "utf-8", "gbk", "utf-16", "utf-16-le", "cut while written", "frames of docker's socket"],
)
def test_a_log_in_any_encoding_is_read(data):
    log = Input(io.BytesIO(data))

    assert log.fault is None
    assert not log.is_empty


@given(st.binary(max_size=300_000), st.integers(1, 100_000))
def test_no_byte_is_lost_by_looking_at_the_first(data, size):
    log = Input(io.BytesIO(data))

    assert b"".join(iter(lambda: log.read(size), b"")) == data


@pytest.mark.parametrize("size", [1 << 16, 133_000, 600_000, 5_000_000])
@pytest.mark.parametrize("is_piped", [True, False])
def test_what_stands_at_the_end_of_a_log_of_any_size_is_found(size, is_piped, tmp_path, capsys, monkeypatch):
    lines = []
    while sum(map(len, lines[-1:])) * len(lines) < size:
        lines.append(
            f"INFO 11-28 07:55:57 [loggers.py:127] Engine 000: {len(lines)} tokens/s, hit rate 0.0%\n"
        )
    data = ("".join(lines) + SEED).encode()
    path = tmp_path / "vllm.log"
    path.write_bytes(data)

    words = ("-",) if is_piped else (str(path),)
    outcome = run(capsys, monkeypatch, "diagnose", "--json", *words, stdin=data if is_piped else b"")

    assert outcome.code == 0
    assert json.loads(outcome.out)["diagnoses"][0]["class"] == "vit-backend-unsupported"


@pytest.mark.parametrize("data", [b"", b"\n", b"  \r\n\n"])
def test_nothing_is_called_nothing_and_says_how_docker_pipes(data, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", stdin=data)

    assert outcome.code == 1
    assert outcome.out.startswith("Nothing arrived\n")
    assert "2>&1" in outcome.out


def test_for_programs_nothing_is_not_an_incident(tmp_path, capsys, monkeypatch):
    path = tmp_path / "empty.log"
    path.touch()

    outcome = run(capsys, monkeypatch, "diagnose", "--json", str(path))

    assert outcome.code == 1
    assert json.loads(outcome.out)["status"] == "not-an-incident"


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "No vLLM failure found"), ("zh", "没有发现 vLLM 故障")]
)
def test_another_programs_error_is_not_called_healthy(language, heading, capsys, monkeypatch):
    nginx = b"2026/01/01 00:00:00 [emerg] 1#1: bind() to 0.0.0.0:80 failed (98: Address already in use)\n"

    outcome = run(capsys, monkeypatch, "diagnose", "--lang", language, stdin=nginx)

    assert outcome.out.splitlines()[0] == heading


@pytest.mark.parametrize("arguments", [[], ["--lang", "zh"]])
def test_a_terminal_without_chinese_letters_is_answered_in_english(arguments):
    result = process("diagnose", *arguments, "-", stdin=CHINESE.encode(), PYTHONIOENCODING="ascii")

    assert result.returncode == 0
    assert b"Cause" in result.stdout
    assert b"????" not in result.stdout
