"""What is read from a script is what the real shell hands to the program."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.launch_files import read_launches

#: what the shell sets by itself
_OWN = {"PATH", "PWD", "SHLVL", "_", "RECORD", "OLDPWD", "LC_CTYPE"}
_RECORDER = (
    f"#!{sys.executable} -S\n"
    """
import json, os, sys
with open(os.environ["RECORD"], "a") as record:
    record.write(json.dumps([["vllm", *sys.argv[1:]], dict(os.environ)]) + "\\n")
"""
)

SCRIPTS = {
    "one line": "vllm serve Qwen/Qwen3-8B --max-model-len 4096\n",
    "continued over lines": "vllm serve a/b \\\n  --max-model-len 4096 \\\n  --dtype half\n",
    "windows line ends": "export A=1\r\nvllm serve a/b \\\r\n  --dtype half\r\n".replace("\r\n", "\n"),
    "exports and prefixes": "export A=1 B='two words'\nC=3\nD=4 vllm serve a/b\n",
    "export after the value": "A=1\nexport A\nvllm serve a/b\n",
    "declare -x": "declare -x A=1\ndeclare B=2\nvllm serve a/b\n",
    "set -a": "set -a\nA=1\nset +a\nB=2\nvllm serve a/b\n",
    "unset": "export A=1 B=2\nunset A\nvllm serve a/b\n",
    "env": "export A=1 B=2\nenv -u A C=3 vllm serve a/b\n",
    "env -i": 'export A=1\nenv -i PATH="$PATH" RECORD="$RECORD" C=3 vllm serve a/b\n',
    "defaults": "MODEL=${MODEL:-a/b}\nvllm serve $MODEL --port ${PORT:-80}${X-y}\n",
    "default with quotes": 'vllm serve "${MODEL:-"a b"}" ${OTHER:-"c d"}\n',
    "default of an argument": "vllm serve ${1:-a/b}\n",
    "alternative value": "A=1\nvllm serve a/b ${A:+--x $A} ${B:+--y}\n",
    "empty is not unset": 'A=\nvllm serve a/b${A-no}${A:-yes} "${A}" $A\n',
    "splitting": 'ARGS="--x 1   --y 2"\nvllm serve a/b $ARGS "$ARGS"\n',
    "growing text": 'ARGS="--x 1"\nARGS="$ARGS --y 2"\nARGS+=" --z"\nvllm serve a/b $ARGS\n',
    "array": "ARGS=(--x 1 # why\n  --y 'a b')\nARGS+=(--z)\nvllm serve a/b \"${ARGS[@]}\"\n",
    "empty array": 'ARGS=()\nvllm serve a/b "${ARGS[@]}" --x\n',
    "command in an array": 'CMD=(vllm serve a/b)\n"${CMD[@]}" --x\n',
    "quotes": """vllm serve a/b --x '{"a": 1}' --y "b \\"c\\" \\$d" --z e\\ f $'g\\th' ''\n""",
    "comment": "# vllm serve no/no\nvllm serve a/b#c # --x\n",
    "redirection": "vllm serve a/b --x > out.txt 2>&1 --y </dev/null &\nwait\n",
    "pipe": "vllm serve a/b 2>&1 | cat\n",
    "chain": "cd / && export A=1 && vllm serve a/b || true\n",
    "sh -c": "export A=1\nsh -c 'B=2 vllm serve a/b \"$A\"'\n",
    "bash -lc with exec": 'M=a/b\nbash -c "export B=1; exec vllm serve $M"\n',
    "nohup and exec": "nohup vllm serve a/b\nexec vllm serve c/d\n",
    "group": "{ A=1; export A; vllm serve a/b; }\n",
    "subshell": "( export A=1; vllm serve a/b )\n",
    "function": "start() {\n  vllm serve a/b\n}\nstart\n",
    "taken branch": "if true; then\n  export A=1\n  vllm serve a/b\nfi\n",
    "here-document for a shell": "bash <<'EOF'\nexport A=1\nvllm serve a/b\nEOF\n",
    "here-document that is text": "cat > note.txt <<EOF\nvllm serve no/no\nEOF\nvllm serve a/b\n",
    "two here-documents": "cat <<A - <<-B > /dev/null\nvllm serve no/no\nA\n\tvllm serve no/no\n\tB\nvllm serve a/b\n",
    "cut by a comment": "vllm serve a/b \\\n  # --x\n  --dtype half || true\n",
    "cut by a blank": "vllm serve a/b \\ \n  --dtype half || true\n",
    "case": 'case "a" in\n  a) export A=1; vllm serve a/b;;\nesac\n',
    "loop": "for x in 1; do\n  vllm serve a/b --x\ndone\n",
    "eval": 'C="vllm serve a/b --x 1"\neval "$C"\n',
    "words that only say it": "echo vllm serve no/no\nprintf '%s' 'vllm serve no/no' > /dev/null\nvllm serve a/b\n",
}


def _run(script: str, folder: Path) -> list[tuple[list[str], dict[str, str]]]:
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / "vllm"
    program.write_text(_RECORDER)
    program.chmod(0o755)
    record = folder / "record.jsonl"
    record.unlink(missing_ok=True)
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "RECORD": str(record)}
    subprocess.run(
        [shutil.which("bash") or "bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    lines = record.read_text().splitlines() if record.exists() else []
    runs = [json.loads(line) for line in lines]
    return [(argv, {name: value for name, value in env.items() if name not in _OWN}) for argv, env in runs]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_read_as_bash_runs_it(name, tmp_path):
    ran = _run(SCRIPTS[name], tmp_path)

    reading = read_launches("run.sh", SCRIPTS[name])

    read = [
        (list(found.argv), {key: value for key, value in found.env.items() if key not in _OWN})
        for found in reading.launches
    ]
    assert read == ran
    assert ran


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=12), max_size=6))
def test_quoted_words_come_out_as_they_went_in(words):
    script = shlex.join(["vllm", "serve", *words])

    (found,) = read_launches("run.sh", script).launches

    assert list(found.argv) == ["vllm", "serve", *words]
