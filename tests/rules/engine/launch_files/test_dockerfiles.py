"""Launches in Dockerfiles."""

from rules.engine.launch_files import read_launches


def _one(text):
    (found,) = read_launches("Dockerfile", text).launches
    return found


def test_a_command_gives_arguments_to_the_entrypoint_of_the_image():
    found = _one(
        "ARG TAG=v0.9.0\nFROM vllm/vllm-openai:${TAG}\nENV A=1 B='x y'\nENV C two words\n"
        'RUN pip install x\nCMD ["--model", \\\n  "m"]\n'
    )

    assert found.argv == ("vllm", "serve", "--model", "m")
    assert found.env == {"A": "1", "B": "x y", "C": "two words"}
    assert (found.where, found.line, found.release) == ("CMD", 6, "0.9.0")


def test_an_entrypoint_of_its_own_is_the_launch():
    found = _one('FROM python:3.12\nENTRYPOINT ["vllm", "serve"]\nCMD ["m"]\n')

    assert found.argv == ("vllm", "serve", "m")


def test_a_command_in_shell_form_is_a_script():
    found = _one("FROM python:3.12\nENV M=a/b\nCMD vllm serve $M --x\n")

    assert found.argv == ("vllm", "serve", "a/b", "--x")


def test_only_the_last_stage_counts():
    found = _one('FROM vllm/vllm-openai AS a\nENV A=1\nCMD ["--x"]\nFROM vllm/vllm-openai\nCMD ["--y"]\n')

    assert (found.argv, found.env) == (("vllm", "serve", "--y"), {})
