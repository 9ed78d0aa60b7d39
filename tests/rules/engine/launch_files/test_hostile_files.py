"""Whatever a file holds: a clear remark, in little time and memory."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.launch_files import RemarkKind, read_launches

_POD = "kind: Pod\nspec:\n  containers:\n"
_BOMB = "kind: vllm\na0: &a0 [x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40)
)
_MERGES = "kind: vllm\nm0: &m0 {x: 1}\n" + "".join(
    f"m{n}: &m{n}\n  <<: [*m{n - 1}, *m{n - 1}]\n  k{n}: 1\n" for n in range(1, 2000)
)
#: as long as a file may be
_SCRIPT = 250_000
_YAML = 1_000_000


def _many(piece, room=_SCRIPT):
    """Return a piece as often as it fits, with its number put in."""
    longest = len(piece.replace("@", "99999"))
    return "".join(piece.replace("@", str(number)) for number in range(room // longest))


FILES = {
    "deep lists": ("a.yaml", "kind: vllm\na: " + "[" * 100_000),
    "deep mappings": ("a.yaml", "kind: vllm\n" + "".join(" " * n + f"a{n}:\n" for n in range(500))),
    "aliases that multiply": ("a.yaml", _BOMB),
    "merges that multiply": ("a.yaml", _MERGES),
    "an anchor in itself": ("a.yaml", "kind: vllm\nitems: &a [*a, {containers: *a, spec: *a}]\nspec: *a\n"),
    "a merge with itself": ("a.yaml", "services: &a\n  vllm: &b\n    <<: *b\n  <<: *a\n"),
    "many values": ("a.yaml", "kind: vllm\na:\n" + _many("- x\n")),
    "many documents": ("a.yaml", _many("---\nkind: vllm\n", _YAML)),
    "objects of Python": ("a.yaml", "kind: !!python/object/apply:os.system ['vllm serve m']\n"),
    "brackets that never close": ("a.yaml", f"{_POD}  - image: vllm\n    args: ['{'$(' * 100_000}']\n"),
    "many containers": ("a.yaml", _POD + _many("  - image: vllm/vllm-openai\n")),
    "many variables": ("a.service", "[Service]\n" + _many("Environment=A@=1\n") + "ExecStart=vllm serve m\n"),
    "starts and resets": ("a.service", "[Service]\n" + _many("ExecStartPre=vllm\nExecStart=\n")),
    "doubling": ("a.sh", "A=xxxxxxxx\n" + 'A="$A$A"\n' * 60 + "vllm serve $A\n"),
    "doubling an array": (
        "a.sh",
        "A=(x x x x)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + 'vllm serve "${A[@]}"\n',
    ),
    "growing": ("a.sh", "A=x\n" + _many("A+=yyyyyyyyy\n") + "vllm serve $A\n"),
    "empty elements": ("a.sh", "A=()\n" + _many("A+=('')\n") + 'vllm serve "${A[@]}"\n'),
    "many exports": ("a.sh", _many("export A@=1\nfoo vllm\n")),
    "many words": ("a.sh", "vllm serve" + _many(" $A@")),
    "deep blocks": ("a.sh", _many("if x; then\n")),
    "many branches": ("a.sh", "if x; then\n" + _many("A@=1\nelse\n")),
    "deep defaults": ("a.sh", "vllm serve " + _many("${A:-")),
    "deep substitutions": ("a.sh", "vllm serve " + _many('"$(')),
    "here-documents": ("a.sh", _many("vllm serve m <<A <<B <<C\n")),
    "open quotes": ("a.sh", "vllm serve '" + _many("x")),
    "nested shells": ("a.sh", _many("sh -c \"sh -c 'vllm serve m'\"\n")),
    "nested arrays": ("a.sh", _many("A=(")),
    "deep parentheses": ("a.sh", _many("(") + "vllm serve m"),
    "long lines of a unit": ("a.service", "[Service]\nExecStart=vllm serve " + _many("\\\n x")),
    "many arguments of an image": ("Dockerfile", _many("ARG A@=1\nENV B$A@=$A@\n") + "CMD vllm serve m\n"),
    "deep json": ("Dockerfile", "FROM vllm\nCMD " + _many("[")),
}
#: they are short, and grow when they are read
BOMBS = (
    "aliases that multiply",
    "an anchor in itself",
    "a merge with itself",
    "doubling",
    "doubling an array",
)


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_read_in_bounded_time(name):
    began = time.thread_time()

    reading = read_launches(*FILES[name])

    assert reading.launches or reading.remarks
    assert RemarkKind.NOT_TEXT not in {remark.kind for remark in reading.remarks}
    assert len(reading.launches) <= 100
    assert len(reading.remarks) <= 50
    # each takes a second or two; a cost that grows with the square of the length takes minutes
    assert time.thread_time() - began < 30


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_multiplies_itself_needs_little_memory(name):
    tracemalloc.start()
    try:
        read_launches(*FILES[name])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 50 * 1024 * 1024


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vllm\0serve", RemarkKind.NOT_TEXT),
        ("\N{REPLACEMENT CHARACTER}" * 100, RemarkKind.NOT_TEXT),
        ("x" * 10_000_000, RemarkKind.TOO_LARGE),
        ("Dear all, this is prose.", RemarkKind.UNKNOWN_KIND),
        ("", RemarkKind.UNKNOWN_KIND),
    ],
)
def test_what_is_no_such_file_gets_one_remark(text, kind):
    reading = read_launches("-", text)

    assert [remark.kind for remark in reading.remarks] == [kind]
    assert reading.remarks[0].text


_PIECES = st.sampled_from(
    [
        *(
            "vllm",
            "serve",
            "$A",
            "${A:-",
            "}",
            "$(",
            ")",
            "'",
            '"',
            "`",
            "\\",
            "\n",
            " ",
            "<<E",
            "E",
            "(",
            "{",
            ";",
        ),
        *(
            "&&",
            "||",
            "A=",
            "A+=(",
            "if",
            "then",
            "fi",
            "do",
            "done",
            "case",
            "esac",
            "#",
            "docker run",
            "-e",
            "--x",
        ),
        *(
            "services:",
            "kind: Pod",
            "  ",
            "- ",
            ": ",
            "&a",
            "*a",
            "<<: ",
            "containers:",
            "image: vllm",
            "[",
            "]",
            "|",
        ),
        *(
            "[Service]",
            "ExecStart=",
            "Environment=",
            "%i",
            "FROM ",
            "CMD ",
            "ENV ",
            "---",
            "sh -c ",
            "é",
            "\t",
            "=",
        ),
    ]
)
_NAMES = st.sampled_from(["a.sh", "a.yaml", "a.service", "Dockerfile", "-"])


@given(_NAMES, st.lists(_PIECES, max_size=60).map("".join) | st.text(max_size=200))
def test_no_text_makes_the_reader_fail(name, text):
    reading = read_launches(name, text)

    lines = text.count("\n") + 1
    assert all(1 <= found.line <= lines for found in reading.launches)
    assert all(remark.line is None or 1 <= remark.line <= lines + 1 for remark in reading.remarks)
    assert reading.launches or reading.remarks
