"""Launches in systemd units."""

from rules.engine.launch_files import RemarkKind, read_launches


def _read(text, **more):
    return read_launches("vllm.service", text, **more)


def test_the_start_command_is_read_with_its_environment():
    (found,) = _read(
        "[Unit]\nDescription=vllm serve no/no\n[Service]\n"
        'Environment="A=x y" B=2\nEnvironment=C=%%d\nUnsetEnvironment=LD_PRELOAD B\n'
        "ExecStart=-/opt/v/bin/vllm serve m \\\n# a comment\n    --x '{\"a\": 1}' \\\n    --port 80\n"
    ).launches

    assert found.argv == ("/opt/v/bin/vllm", "serve", "m", "--x", '{"a": 1}', "--port", "80")
    assert found.env == {"A": "x y", "C": "%d"}
    assert found.unset == ("B", "LD_PRELOAD")
    assert (found.where, found.line) == ("ExecStart", 7)


def test_variables_are_put_in_as_systemd_does():
    (found,) = _read(
        '[Service]\nEnvironment="ARGS=--x 1" M=m\nExecStart=/v/vllm serve ${M} $ARGS "${ARGS}" $$M %i $N\n'
    ).launches

    assert found.argv[2:] == ("m", "--x", "1", "--x 1", "$M", "%i", "$N")
    assert found.unresolved == ("%i", "$N")


def test_an_empty_setting_forgets_what_stood_before():
    (found,) = _read(
        "[Service]\nEnvironment=A=1\nEnvironment=\nEnvironment=B=2\nExecStart=/v/vllm serve no\nExecStart=\n"
        "ExecStart=/v/vllm serve m\n"
    ).launches

    assert found.argv[2] == "m"
    assert found.env == {"B": "2"}


def test_a_shell_and_a_container_in_a_unit_are_read_through():
    reading = _read(
        "[Service]\nEnvironment=A=1\nExecStartPre=/bin/true\n"
        "ExecStart=/bin/bash -c 'source v/bin/activate && exec vllm serve m'\n"
        "ExecStartPost=/usr/bin/docker run -e B=2 vllm/vllm-openai:v0.11.0 --model n\n"
    )

    first, second = reading.launches
    assert (first.argv, first.env) == (("vllm", "serve", "m"), {"A": "1"})
    assert (second.argv, second.env) == (("vllm", "serve", "--model", "n"), {"B": "2"})


def test_an_environment_file_is_named_unless_given_along():
    text = "[Service]\nEnvironmentFile=-/etc/vllm.env\nExecStart=/v/vllm serve m\n"

    (remark,) = _read(text).remarks
    (found,) = _read(text, beside={"/etc/vllm.env": "A=1\n"}).launches

    assert (remark.kind, remark.line, remark.subject) == (RemarkKind.ENV_FILE_UNREAD, 2, "/etc/vllm.env")
    assert found.env == {"A": "1"}


def test_a_drop_in_is_a_unit():
    (found,) = read_launches("override.conf", "[Service]\nExecStart=\nExecStart=/v/vllm serve m\n").launches

    assert found.argv == ("/v/vllm", "serve", "m")
