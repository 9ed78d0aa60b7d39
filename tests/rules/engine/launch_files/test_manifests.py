"""Launches in Kubernetes manifests."""

import json

import pytest

from rules.engine.launch_files import RemarkKind, read_launches

_CONTAINER = {"name": "server", "image": "vllm/vllm-openai:v0.12.0", "args": ["--model", "m"]}
_POD = {"containers": [{"name": "proxy", "image": "nginx"}, _CONTAINER]}
KINDS = {
    "Pod": {"spec": _POD},
    "Deployment": {"spec": {"template": {"spec": _POD}}},
    "StatefulSet": {"spec": {"template": {"spec": _POD}}},
    "Job": {"spec": {"template": {"spec": _POD}}},
    "CronJob": {"spec": {"jobTemplate": {"spec": {"template": {"spec": _POD}}}}},
    "LeaderWorkerSet": {"spec": {"leaderWorkerTemplate": {"leaderTemplate": {"spec": _POD}}}},
    "InferenceService": {"spec": {"predictor": _POD}},
    "ServingRuntime": {"spec": _POD},
    "RayService": {"spec": {"rayClusterConfig": {"headGroupSpec": {"template": {"spec": _POD}}}}},
}


def _read(text):
    return read_launches("manifest.yaml", text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_container_is_found_in_every_kind_of_object(kind):
    (found,) = _read(json.dumps({"kind": kind, "metadata": {"name": "x"}, **KINDS[kind]})).launches

    assert found.argv == ("vllm", "serve", "--model", "m")
    assert found.where == f"container server of {kind} x"
    assert found.release == "0.12.0"


def test_a_list_of_objects_is_read_through():
    pods = [{"kind": "Pod", "metadata": {"name": name}, "spec": _POD} for name in "ab"]

    reading = _read(json.dumps({"kind": "List", "items": pods}))

    assert [found.where for found in reading.launches] == [f"container server of Pod {name}" for name in "ab"]


def test_lines_count_through_all_documents():
    reading = _read(
        "kind: Service\nmetadata: {name: a}\n---\n# second\nkind: Pod\nmetadata:\n  name: p\nspec:\n"
        "  containers:\n  - name: c\n    image: x\n    command:\n    - sh\n    - -c\n    - |\n"
        "      # start\n      vllm serve m\n---\nkind: ConfigMap\nmetadata: {name: s}\ndata:\n"
        "  run.sh: |\n    vllm serve n\n"
    )

    assert [(found.line, found.argv[2], found.where) for found in reading.launches] == [
        (17, "m", "container c of Pod p"),
        (23, "n", "run.sh of ConfigMap s"),
    ]


def test_variables_are_values_or_stay_open():
    reading = _read(
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai\n"
        "    args: [--port, $(PORT), --x, $$(PORT), --y, $(NOT_SET)]\n"
        "    envFrom: [{configMapRef: {name: cm}}]\n"
        "    env:\n    - {name: PORT, value: '80'}\n    - {name: URL, value: 'http://$(PORT)'}\n    - {name: EMPTY}\n"
        "    - name: HF_TOKEN\n      valueFrom: {secretKeyRef: {name: s, key: k}}\n"
    )

    (found,) = reading.launches
    assert found.argv[2:] == ("--port", "80", "--x", "$(PORT)", "--y", "$(NOT_SET)")
    assert found.env == {"PORT": "80", "URL": "http://80", "EMPTY": ""}
    assert found.unresolved == ("$(NOT_SET)",)
    assert found.unresolved_env == ("HF_TOKEN",)
    assert [(remark.kind, remark.subject) for remark in reading.remarks] == [
        (RemarkKind.ENV_FILE_UNREAD, "configMap cm")
    ]


def test_a_command_replaces_the_entrypoint():
    (found,) = _read(
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai\n    command: [vllm, serve]\n    args: [m]\n"
    ).launches

    assert found.argv == ("vllm", "serve", "m")


def test_a_model_of_kserve_gives_the_arguments_of_its_runtime():
    (found,) = _read(
        "kind: InferenceService\nmetadata: {name: i}\nspec:\n  predictor:\n    model:\n"
        "      runtime: kserve-vllm\n      args: [--model, m]\n"
    ).launches

    assert (found.argv, found.image) == (("vllm", "serve", "--model", "m"), None)


def test_a_template_is_to_be_rendered_first():
    reading = _read("kind: Pod\nspec:\n  {{- if .Values.vllm }}\n  x: {{ .y }}\n")

    assert [remark.kind for remark in reading.remarks] == [RemarkKind.TEMPLATE]
