"""Launches in shell scripts: what a file leaves open, and where it is."""

import pytest

from rules.engine.launch_files import RemarkKind, read_launches


def _one(script, **more):
    (found,) = read_launches("run.sh", script, **more).launches
    return found


def _kinds(script, **more):
    return [remark.kind for remark in read_launches("run.sh", script, **more).remarks]


def test_what_only_running_would_tell_stays_as_written_and_is_named():
    found = _one('vllm serve "$MODEL" --tensor-parallel-size $(nvidia-smi -L | wc -l) --seed ${SEED%.*}\n')

    assert found.argv == (
        *("vllm", "serve", "$MODEL", "--tensor-parallel-size", "$(nvidia-smi -L | wc -l)"),
        *("--seed", "${SEED%.*}"),
    )
    assert found.unresolved == ("$MODEL", "$(nvidia-smi -L | wc -l)", "${SEED%.*}")


def test_a_variable_of_unknown_value_is_not_in_the_environment():
    found = _one("export HF_TOKEN=$TOKEN A=1\nvllm serve m\n")

    assert found.env == {"A": "1"}
    assert found.unresolved == ()
    assert found.unresolved_env == ("HF_TOKEN",)


@pytest.mark.parametrize(
    "script",
    [
        "A=1\nif [ -n x ]; then A=2; fi\nvllm serve m $A\n",
        "A=1\nif x; then :; else A=2; fi\nvllm serve m $A\n",
        "A=1\n[ -n x ] && A=2\nvllm serve m $A\n",
        "A=1\nx || A=2\nvllm serve m $A\n",
        "A=1\ncase x in y) A=2;; esac\nvllm serve m $A\n",
        "for A in 1 2; do vllm serve m $A; done\n",
        "A=1\nf() { A=2; }\nvllm serve m $A\n",
        "A=1\nwhile x; do A=2; done\nvllm serve m $A\n",
    ],
)
def test_a_variable_that_a_branch_may_have_set_is_open(script):
    found = _one(script)

    assert found.argv[-1] == "$A"
    assert found.unresolved == ("$A",)


def test_a_variable_exported_in_a_branch_is_open():
    found = _one("if x; then export VLLM_USE_V1=1; fi\nvllm serve m\n")

    assert found.env == {}
    assert found.unresolved_env == ("VLLM_USE_V1",)


def test_a_variable_of_vllm_with_an_open_value_is_remarked_on():
    assert _kinds("export VLLM_USE_V1=$X\nvllm serve m\n") == [RemarkKind.VALUE_OPEN]


def test_inside_a_branch_its_own_values_count():
    found = _one("if x; then A=2\nvllm serve m $A; fi\n")

    assert found.argv[-1] == "2"


def test_values_from_outside_fill_what_the_script_leaves_open():
    found = _one('vllm serve "$MODEL"\n', known={"MODEL": "a/b"})

    assert found.argv == ("vllm", "serve", "a/b")
    assert found.unresolved == ()


def test_the_line_is_where_the_command_begins():
    reading = read_launches(
        "run.sh", "#!/bin/sh\n\nx=1\nvllm serve a \\\n --x\nsh -c '\ntrue\nvllm serve b'\n"
    )

    assert [found.line for found in reading.launches] == [4, 8]


def test_a_function_is_named():
    found = _one("main() {\n  vllm serve m\n}\nmain\n")

    assert found.where == "function main"


def test_python_modules_are_launches():
    found = _one(
        "CUDA_VISIBLE_DEVICES=0 /opt/v/bin/python3 -u -m vllm.entrypoints.openai.api_server --model m\n"
    )

    assert found.arguments == ("--model", "m")
    assert found.env == {"CUDA_VISIBLE_DEVICES": "0"}


@pytest.mark.parametrize(
    "script",
    ["vllm bench serve m\n", "vllm --version\n", "python -m vllm.collect_env\n", "pip install vllm serve\n"],
)
def test_other_commands_of_vllm_are_no_launches(script):
    reading = read_launches("run.sh", script)

    assert not reading.launches
    assert [remark.kind for remark in reading.remarks] == [RemarkKind.NO_LAUNCH]


def test_a_container_gets_only_the_variables_of_its_options():
    found = _one(
        "export A=1 B=2\n"
        "docker run -it --rm --gpus all -v ~/m:/m -p 8000:8000 --ipc=host -e VLLM_X=1 --env=Y=2 -e A -e Z \\\n"
        "  --name srv vllm/vllm-openai:v0.11.2 --model m --x 1 | tee log\n"
    )

    assert found.argv == ("vllm", "serve", "--model", "m", "--x", "1")
    assert found.env == {"VLLM_X": "1", "Y": "2", "A": "1"}
    assert found.unresolved_env == ("Z",)
    assert (found.image, found.release, found.where) == (
        "vllm/vllm-openai:v0.11.2",
        "0.11.2",
        "container srv",
    )


def test_a_container_with_another_entrypoint_runs_that():
    found = _one("docker run --entrypoint bash me/vllm:1 -c 'export A=1; vllm serve m'\n")

    assert found.argv == ("vllm", "serve", "m")
    assert found.env == {"A": "1"}


def test_an_env_file_is_named_unless_it_is_given_along():
    script = "docker run --env-file my.env vllm/vllm-openai --model m\n"

    assert _kinds(script) == [RemarkKind.ENV_FILE_UNREAD]
    assert _one(script, beside={"my.env": "A=1\n# no\nB='2'\n"}).env == {"A": "1", "B": "2"}


def test_a_sourced_file_counts_as_assignments():
    script = "set -a; source my.env; set +a\nvllm serve $M\n"

    found = _one(script, beside={"my.env": "M=a/b\n"})

    assert found.argv == ("vllm", "serve", "a/b")
    assert found.env == {"M": "a/b"}
    assert _kinds(script) == [RemarkKind.ENV_FILE_UNREAD]


def test_a_variable_that_is_not_exported_is_remarked_on():
    assert _kinds("VLLM_USE_V1=0\nvllm serve m\n") == [RemarkKind.NOT_EXPORTED]
    assert _kinds("VLLM_ARGS=--x\nvllm serve m $VLLM_ARGS\n") == []


@pytest.mark.parametrize("script", ["vllm serve m \\\n  # no\n --x 1\n", "vllm serve m \\ \n  --x 1\n"])
def test_a_command_that_a_comment_or_blank_cuts_short_is_remarked_on(script):
    assert _kinds(script) == [RemarkKind.CUT_SHORT]


def test_an_image_that_starts_the_server_needs_no_words_for_it():
    assert _kinds("docker run vllm/vllm-openai:v0.11.2 vllm serve m\n") == [RemarkKind.ENTRYPOINT_TWICE]


def test_a_backslash_of_a_written_file_is_one_where_the_script_writes_two():
    body = "[Service]\nExecStart=/x/vllm serve m \\\\\n  --x \\$Y\n"
    plain = body.replace("\\\\", "\\").replace("\\$", "$")

    (twice,) = read_launches("install.sh", f"cat > x.service <<EOF\n{body}EOF\n").launches
    (once,) = read_launches("install.sh", f"cat > x.service <<'EOF'\n{plain}EOF\n").launches

    assert twice.argv == once.argv == ("/x/vllm", "serve", "m", "--x", "$Y")


def test_a_wrapper_that_is_named_by_a_variable_is_passed():
    found = _one('"${CONDA:-conda}" run -n env --no-capture-output vllm serve m --x\n')

    assert found.argv == ("vllm", "serve", "m", "--x")


def test_a_file_that_a_script_writes_is_read_too():
    reading = read_launches(
        "install.sh",
        "cat > /etc/systemd/system/vllm.service <<EOF\n[Service]\nExecStart=/x/vllm serve m\nEOF\n",
    )

    (found,) = reading.launches
    assert (found.where, found.line) == ("ExecStart", 3)
