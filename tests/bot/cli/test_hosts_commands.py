"""`hosts`: lists, checks with file and line, adds all or nothing, and looks at a host without changing it."""

import hashlib
import json
import subprocess
import sys

import pytest

from bot.hosts.reading import read_registry
from tests.bot.cli.running import run
from tests.bot.hosts.registry_text import KEY, WHOLE

#: hosts that the sample registry names
WHOLE_HOSTS = ("gpu1", "here")


@pytest.fixture
def hosts(tmp_path, capsys, monkeypatch):
    file = tmp_path / "hosts.yaml"

    def command(verb, *arguments, text=None, stdin=b""):
        if text is not None:
            file.write_text(text)
        return run(capsys, monkeypatch, "hosts", verb, "--registry", str(file), *arguments, stdin=stdin)

    command.file = file
    return command


def test_hosts_and_servers_are_listed(hosts):
    outcome = hosts("list", text=WHOLE)

    assert outcome.code == 0
    assert "gpu1: group lab, not production, ssh, platform team, until 2027-06-30" in outcome.out
    assert "  qwen3-vl: Qwen/Qwen3-VL-8B-Instruct on port 8000, systemd, fetch, relaunch" in outcome.out
    assert "  tiny: tiny on port 8001, process, diagnosis only" in outcome.out


def test_the_list_for_programs_holds_the_same(hosts):
    listed = json.loads(hosts("list", "--json", text=WHOLE).out)

    assert [one["name"] for one in listed] == ["gpu1", "here"]
    assert listed[0]["servers"][0]["operations"] == ["fetch", "relaunch"]


def test_a_registry_without_hosts_says_how_to_begin(hosts):
    assert "hosts add" in hosts("list", text="version: 1\n").out


def test_check_names_file_and_line_and_ends_with_1(hosts):
    outcome = hosts("check", text=WHOLE.replace("port: 8000", "port: x"))

    assert outcome.code == 1
    assert outcome.out.startswith(f"{hosts.file}:")
    assert "port must be a whole number" in outcome.out


def test_check_finds_what_would_keep_a_host_from_being_used(hosts, tmp_path):
    key = tmp_path / "id"
    key.write_text("secret")
    key.chmod(0o644)
    text = (
        WHOLE.replace("gpu1.example.org", "127.0.0.1")
        .replace("/etc/vllm-diagnose/id_ed25519", str(key))
        .replace("2027-06-30", "2020-01-01")
        .replace("approvers: [lead]", "approvers: []")
    )

    outcome = hosts("check", "gpu1", text=text)

    assert outcome.code == 1
    assert "the entry expired on 2020-01-01: ask platform team" in outcome.out
    assert "127.0.0.1 is a loopback address" in outcome.out
    assert f"`chmod 600 {key}`" in outcome.out
    assert "qwen3-vl can be relaunched, and nobody may approve it" in outcome.out
    assert "here" not in outcome.out


@pytest.mark.parametrize("verb", ["list", "check"])
def test_a_registry_that_is_missing_is_no_fault_of_a_host(hosts, verb):
    outcome = hosts(verb)

    assert (outcome.code, outcome.out) == (65, "")
    assert outcome.err == f"vllm-diagnose: {hosts.file}: there is no such file; check the name\n"


def test_a_sound_host_is_ok(hosts):
    outcome = hosts("check", "here", text=WHOLE)

    assert (outcome.code, outcome.out) == (0, "here: ok\n")


def test_an_unknown_host_names_the_nearest(hosts):
    outcome = hosts("check", "gpu2", text=WHOLE)

    assert outcome.code == 64
    assert "the nearest is gpu1" in outcome.err


def test_without_a_registry_it_says_how_to_name_one(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    outcome = run(capsys, monkeypatch, "hosts", "list")

    assert outcome.code == 64
    assert "relaunch.registry" in outcome.err


ANSWERS = f"""\
gpu7
lab
n
ada
n
gpu7.example.org
22
triage
{KEY}
/etc/k
llama
docker
8000
meta-llama/Llama-3.1-8B
0.11.2
240
y
""".encode()


@pytest.mark.parametrize("before", [None, WHOLE])
def test_an_added_host_stands_at_the_end_and_the_rest_as_it_was(hosts, before):
    outcome = hosts("add", text=before, stdin=ANSWERS)

    assert outcome.code == 0
    registry = read_registry(hosts.file)
    assert registry.hosts[-1].name == "gpu7"
    assert registry.hosts[-1].servers[0].operations == {"relaunch", "fetch"}
    if before is not None:
        assert hosts.file.read_text().startswith(before)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("gpu7", "gpu1", "is the name of another host: names are unique in the whole file"),
        ("gpu7", "GPU 7", "must be a name in small letters"),
        ("ada", "", "must not be empty"),
        ("n\nada", "maybe", "must be y or n"),
        ("gpu7.example.org", "gpu7;reboot", "must be a host name"),
        ("22\ntriage", "abc", "must be a whole number"),
        ("22\ntriage", "70000", "must be at most 65535"),
        ("triage", "Triage", "must be the name of an account"),
        (KEY, "AAAA", "must be a public key as OpenSSH prints it"),
        ("/etc/k", "id_ed25519", "must be the whole path, from /"),
        ("llama\n", "qwen3-vl", "is the name of another server"),
        ("docker", "upstart", "must be one of 'process', 'systemd', 'docker' or 'compose'"),
        ("8000", "0", "must be at least 1"),
        ("meta-llama", "--model", "must be the name of a model"),
        ("0.11.2", "newest", "must be a release such as 0.11.2, or none"),
        ("240", "soon", "must be a whole number"),
    ],
)
def test_a_wrong_answer_is_told_why_and_asked_for_again(hosts, right, wrong, said):
    answers = ANSWERS.decode().replace(f"\n{right}", f"\n{wrong}\n{right}", 1)
    if right == "gpu7":
        answers = f"{wrong}\n{ANSWERS.decode()}"
    outcome = hosts("add", text=WHOLE, stdin=answers.encode())

    assert outcome.code == 0
    assert outcome.err.count("It ") == 1
    assert f"It {said}" in outcome.err
    [added] = read_registry(hosts.file).hosts[len(WHOLE_HOSTS) :]
    assert added.servers[0].vllm_version == "0.11.2"
    assert added.route[0].port == 22


def test_a_helpers_command_keeps_its_quoted_words(hosts):
    local = ANSWERS.decode().partition("gpu7.example.org")[0].removesuffix("n\n")
    command = "sudo -u 'helper\nsudo -u 'the helper' /opt/helper serve-request"
    server = "llama\nprocess\n8000\nm\nnone\n240\nn\n"
    outcome = hosts("add", stdin=f"{local}y\n{command}\n{server}".encode())

    assert outcome.code == 0
    assert "It must be a command, and a quote in it is not closed." in outcome.err
    [added] = read_registry(hosts.file).hosts
    assert added.helper == ("sudo", "-u", "the helper", "/opt/helper", "serve-request")
    assert added.servers[0].vllm_version is None


def test_answers_that_end_too_early_change_nothing(hosts):
    outcome = hosts("add", text=WHOLE, stdin=ANSWERS[:40])

    assert outcome.code == 130
    assert "Traceback" not in outcome.err
    assert hosts.file.read_text() == WHOLE
    assert [one.name for one in hosts.file.parent.iterdir()] == ["hosts.yaml"]


def test_a_registry_with_faults_is_told_before_anything_is_asked(hosts):
    outcome = hosts("add", text=WHOLE.replace("port: 8000", "port: x"), stdin=ANSWERS)

    assert outcome.code == 65
    assert "port must be a whole number" in outcome.err
    assert "Name of the host" not in outcome.err


def test_a_file_that_does_not_end_with_its_hosts_is_left_alone(hosts):
    text = WHOLE + "jumps2: []\n"

    outcome = hosts("add", text=text, stdin=ANSWERS)

    assert outcome.code == 65
    assert hosts.file.read_text() == text


LOCAL = """\
version: 1
hosts:
  - name: here
    group: lab
    owner: ada
    transport: local
    helper: {helper}
    servers: []
"""


def test_a_probe_shows_what_the_helper_says(hosts, tmp_path):
    gpu = {"uuid": "GPU-1", "name": "NVIDIA H100", "memory_total_mib": 81559, "memory_free_mib": 80000}
    told = {
        "helper_version": "1",
        "hostname": "here",
        "boot_id": "b",
        "python": "3.8.1",
        "servers": [],
        "vllm_versions": {},
        "gpus": [{**gpu, "compute_capability": "9.0"}],
    }
    reply = json.dumps({"protocol": 1, "ok": True, "result": told})
    script = tmp_path / "helper.py"
    script.write_text(f"import sys; sys.stdin.read(); print({reply!r})")
    helper = json.dumps([sys.executable, str(script)])

    outcome = hosts("probe", "here", text=LOCAL.format(helper=helper))

    assert outcome.code == 0
    assert "here: here, helper 1, Python 3.8.1, 1 GPU" in outcome.out
    assert "NVIDIA H100: 80000 of 81559 MiB free" in outcome.out


def test_a_host_that_does_not_answer_is_69(hosts):
    outcome = hosts("probe", "here", text=LOCAL.format(helper='["/nonexistent/helper"]'))

    assert outcome.code == 69
    assert "host here: the helper could not be started" in outcome.err


def test_the_helper_is_written_as_one_file_that_a_bare_python_runs(tmp_path, capsys, monkeypatch):
    file = tmp_path / "helper.pyz"

    outcome = run(capsys, monkeypatch, "hosts", "helper", str(file))

    assert outcome.code == 0
    assert outcome.out == f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file}\n"
    ran = subprocess.run([sys.executable, "-I", "-S", str(file), "version"], capture_output=True, check=True)
    assert ran.stdout.strip()
    assert run(capsys, monkeypatch, "hosts", "helper", str(tmp_path / "none" / "x")).code == 74
