"""What a paste says of release, machine and launch, and what wins when something else was given."""

import pytest

from rules.engine.paste.evidence import NoteKind
from rules.engine.paste.fact_reading import read_facts
from rules.engine.paste.facts import Facts, Given
from rules.engine.paste.reading import read_paste

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def facts(text: str, given: Given | None = None) -> Facts:
    return read_facts(read_paste(text), given)[0]


def phrases(text: str, given: Given | None = None) -> list[tuple[NoteKind, str]]:
    return [(note.kind, note.phrase) for note in read_facts(read_paste(text), given)[1]]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "(APIServer pid=1) INFO 12-01 04:40:20 [api_server.py:1977] vLLM API server version 0.11.2",
            "0.11.2",
        ),
        (
            (
                "INFO 12-01 04:40:21 [core.py:93] Initializing a V1 LLM engine "
                "(v0.11.2) with config: model='m', seed=0"
            ),
            "0.11.2",
        ),
        (
            (
                "INFO 01-22 15:13:53 llm_engine.py:234] Initializing an LLM "
                "engine (v0.6.6.post1) with config: model='m'"
            ),
            "0.6.6.post1",
        ),
        (
            "INFO 12-01 04:40:20 [api_server.py:1977] vLLM API server version 0.11.1rc7.dev90+g1234abc",
            "0.11.1rc7.dev90+g1234abc",
        ),
        ("vLLM Version                 : 0.11.2", "0.11.2"),
        ("vLLM Version: 0.8.5.post1", "0.8.5.post1"),
        ("vllm==0.9.0.1", "0.9.0.1"),
        ("vllm                              0.11.2+cu128", "0.11.2+cu128"),
        ("[pip3] vllm==0.10.1.1", "0.10.1.1"),
        ("Name: vllm\nVersion: 0.12.0\nSummary: fast", "0.12.0"),
        ("/usr/lib/python3.12/site-packages/vllm-0.11.2.dist-info/METADATA", "0.11.2"),
        ("docker run vllm/vllm-openai:v0.11.2 --model m", "0.11.2"),
        ("image: vllm/vllm-openai:v0.10.1.1-x86_64", "0.10.1.1"),
        ("image: rocm/vllm:rocm6.4.1_vllm_0.9.1_20250715", "0.9.1"),
        ("I use vLLM 0.11.2 on an H100", "0.11.2"),
        ("with vllm v0.13.0 it works", "0.13.0"),
        ("upgraded vLLM from 0.10.2 to 0.11.2", "0.11.2"),
        ("我用的是 vLLM 0.11.2，启动报错", "0.11.2"),
        ("vLLM main", None),
        ("vllm version 0.1.dev15795", None),
        ("Name: torch\nVersion: 2.8.0", None),
        ("nvcr.io/nvidia/vllm:25.10.1-py3", None),
        ("pip install vllm-flash-attn 2.6.2", None),
        (SEED, None),
    ],
)
def test_the_release_is_read_where_it_stands(text, version):
    assert facts(text).vllm_version == version


@pytest.mark.parametrize("text", ["vLLM 0.11 on H100", "vLLM 0.11.x", "vllm v0.11"])
def test_a_series_is_kept_apart_from_a_release(text):
    found = facts(text)

    assert (found.vllm_version, found.vllm_series) == (None, "==0.11.*")


def test_what_a_program_says_of_itself_wins_over_what_is_listed():
    text = "INFO 12-01 04:40:20 [api_server.py:1977] vLLM API server version 0.11.2\nvllm==0.12.0"

    assert facts(text).vllm_version == "0.11.2"
    assert phrases(text) == [(NoteKind.CONTRADICTION, "two-releases")]


def test_two_banners_that_contradict_each_other_say_nothing():
    text = "vLLM API server version 0.11.2\nvLLM API server version 0.12.0"

    assert facts(text).vllm_version is None
    assert phrases(text) == [(NoteKind.CONTRADICTION, "two-releases-unused")]


def test_one_release_with_and_without_its_build_is_one_release():
    text = (
        "vLLM API server version 0.11.2\nInitializing a V1 LLM engine (v0.11.2+cu128) with config: model='m'"
    )

    assert facts(text).vllm_version == "0.11.2+cu128"
    assert phrases(text) == []


@pytest.mark.parametrize(
    ("given", "version", "series", "notes"),
    [
        ("0.11.2", "0.11.2", None, []),
        ("v0.11.2", "0.11.2", None, []),
        ("vllm 0.11.2", "0.11.2", None, []),
        ("0.14.0rc1.dev9", "0.14.0rc1.dev9", None, []),
        ("0.11", None, "==0.11.*", ["release-incomplete"]),
        ("0.11.x", None, "==0.11.*", ["release-incomplete"]),
        ("main", None, None, ["release-unreadable"]),
        ("a fork", None, None, ["release-unreadable"]),
        ("0.1.dev1", None, None, ["release-unreadable"]),
        ("", None, None, []),
    ],
)
def test_a_given_release_is_read_or_noted_and_dropped(given, version, series, notes):
    found = facts(SEED, Given(vllm_version=given))

    assert (found.vllm_version, found.vllm_series) == (version, series)
    assert [phrase for _, phrase in phrases(SEED, Given(vllm_version=given))] == notes


def test_the_paste_wins_over_a_given_release():
    text = "vLLM API server version 0.11.2"

    assert facts(text, Given(vllm_version="0.12.0")).vllm_version == "0.11.2"
    assert phrases(text, Given(vllm_version="0.12.0")) == [
        (NoteKind.CONTRADICTION, "given-release-overruled")
    ]


@pytest.mark.parametrize(
    ("text", "gpu", "capability"),
    [
        (
            (
                "WARNING 11-30 07:42:16 [model.py:1921] Your device 'NVIDIA T4G' (with "
                "compute capability 7.5) doesn't support torch.bfloat16."
            ),
            "NVIDIA T4G",
            "7.5",
        ),
        (
            (
                "ValueError: Bfloat16 is only supported on GPUs with compute capability of at "
                "least 8.0. Your Tesla V100-SXM2-32GB GPU has compute capability 7.0."
            ),
            "Tesla V100-SXM2-32GB",
            "7.0",
        ),
        ("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-12345678)", "NVIDIA H100 80GB HBM3", "9.0"),
        ("GPU models and configuration : GPU 0: NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", "8.0"),
        ("GPU models and configuration:\nGPU 0: Tesla T4\nGPU 1: Tesla T4", "Tesla T4", "7.5"),
        (
            "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0  On |                  Off |",
            "NVIDIA GeForce RTX 4090",
            "8.9",
        ),
        ("name, compute_cap\nNVIDIA H100 80GB HBM3, 9.0", "NVIDIA H100 80GB HBM3", "9.0"),
        (
            "Config file not found at /x/E=8,N=14336,device_name=NVIDIA_H100_80GB_HBM3.json",
            "NVIDIA H100 80GB HBM3",
            "9.0",
        ),
        (
            (
                "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not "
                "compatible with the current PyTorch installation."
            ),
            "NVIDIA GeForce RTX 5090",
            "12.0",
        ),
        ("on 2x RTX 3090 it fails", "NVIDIA GeForce RTX 3090", "8.6"),
        ("我在 T4 上运行", "NVIDIA T4", "7.5"),
        (
            (
                "The quantization method awq is not supported for the current GPU. "
                "Minimum capability: 75. Current capability: 70."
            ),
            None,
            "7.0",
        ),
        ("it is an sm_86 card", None, "8.6"),
        ("works on A100, fails on H100", None, None),
        (SEED, None, None),
    ],
)
def test_gpu_and_capability_are_read_where_they_stand(text, gpu, capability):
    found = facts(text)

    assert (found.gpu, found.compute_capability) == (gpu, capability)


def test_two_gpus_that_programs_name_say_nothing():
    text = (
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\nYour device 'Tesla T4' "
        "(with compute capability 7.5) doesn't support it"
    )

    assert (facts(text).gpu, facts(text).compute_capability) == (None, None)
    assert phrases(text) == [(NoteKind.CONTRADICTION, "two-gpus-unused")]


@pytest.mark.parametrize(
    ("given", "gpu", "capability", "notes"),
    [
        ("H100", "H100", "9.0", []),
        ("Tesla T4", "Tesla T4", "7.5", []),
        ("sm_90", None, "9.0", []),
        ("8.6", None, "8.6", []),
        ("docker", None, None, ["gpu-unreadable"]),
        ("8 GPUs", None, None, ["gpu-unreadable"]),
        ("GPU below sm_80", None, None, ["gpu-unreadable"]),
    ],
)
def test_a_given_gpu_is_read_or_noted_and_dropped(given, gpu, capability, notes):
    found = facts(SEED, Given(gpu=given))

    assert (found.gpu, found.compute_capability) == (gpu, capability)
    assert [phrase for _, phrase in phrases(SEED, Given(gpu=given))] == notes


def test_the_paste_wins_over_a_given_gpu():
    text = "GPU 0: Tesla T4 (UUID: GPU-1)"

    assert facts(text, Given(gpu="H100")).compute_capability == "7.5"
    assert phrases(text, Given(gpu="H100")) == [(NoteKind.CONTRADICTION, "given-gpu-overruled")]


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("INFO 12-01 04:40:20 [__init__.py:216] Automatically detected platform cuda.", "cuda"),
        ("INFO 12-01 04:40:20 [__init__.py:216] Automatically detected platform rocm.", "rocm"),
        ("INFO 12-01 04:40:22 [cpu_model_runner.py:55] Starting to load model m...", "cpu"),
        ("vLLM API server version 0.32.0+cpu", "cpu"),
        ("RuntimeError: HIP error: invalid device function", "rocm"),
        ("MI300X, vLLM 0.19.1", "rocm"),
        ("INFO 12-17 09:30:19 [__init__.py:235] Platform plugin ascend is activated", "npu"),
        (SEED, None),
    ],
)
def test_the_platform_is_read_where_it_shows(text, platform):
    assert facts(text).platform == platform


def test_what_a_flag_does_on_cpus_does_not_make_a_gpu_one() -> None:
    text = (
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` (this flag "
        "also controls CPU memory reservation on the CPU backend, despite its name)."
    )
    assert facts(text).platform is None


@pytest.mark.parametrize(
    ("text", "architecture"),
    [
        ("Architecture:                         aarch64", "aarch64"),
        ("flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol", "x86_64"),
        ("on a DGX Spark", "aarch64"),
        ("GH200 480GB", "aarch64"),
        ("x86_64 and aarch64", None),
        (SEED, None),
    ],
)
def test_the_architecture_is_read_where_it_shows(text, architecture):
    assert facts(text).architecture == architecture


@pytest.mark.parametrize(
    "text",
    [
        "VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve Qwen/Qwen3-VL-4B",
        "I run `VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve Qwen/Qwen3-VL-4B` and it dies",
        "export VLLM_ATTENTION_BACKEND=FLASHINFER",
        'export VLLM_ATTENTION_BACKEND="FLASHINFER"',
        "docker run --gpus all -e VLLM_ATTENTION_BACKEND=FLASHINFER vllm/vllm-openai:latest --model m",
        "docker run --gpus all \\\n  --env VLLM_ATTENTION_BACKEND=FLASHINFER \\\n  vllm/vllm-openai:latest",
        'Environment="VLLM_ATTENTION_BACKEND=FLASHINFER"',
        "Environment=VLLM_ATTENTION_BACKEND=FLASHINFER",
        "os.environ['VLLM_ATTENTION_BACKEND'] = 'FLASHINFER'",
        'os.environ.setdefault("VLLM_ATTENTION_BACKEND", "FLASHINFER")',
        "ENV VLLM_ATTENTION_BACKEND FLASHINFER",
        "ENV VLLM_ATTENTION_BACKEND=FLASHINFER",
        "    environment:\n      - VLLM_ATTENTION_BACKEND=FLASHINFER",
        "    environment:\n      VLLM_ATTENTION_BACKEND: FLASHINFER",
        "        env:\n        - name: VLLM_ATTENTION_BACKEND\n          value: FLASHINFER",
        "%env VLLM_ATTENTION_BACKEND=FLASHINFER",
        "!VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve m",
        "ValueError: VLLM_ATTENTION_BACKEND is set to FLASHINFER, but flashinfer module was not found.",
        "我设置了 VLLM_ATTENTION_BACKEND=FLASHINFER 之后报错",
    ],
)
def test_the_environment_is_read_in_every_form(text):
    found = facts(text)

    assert dict(found.env) == {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}
    assert found.backend_requested == "FLASHINFER"


@pytest.mark.parametrize(
    "text",
    [
        (
            "ValueError: Please use Flashinfer backend. Set Flashinfer backend "
            "by export VLLM_ATTENTION_BACKEND=FLASHINFER."
        ),
        "WARNING 09-27 17:43:56 selector.py:229] Please use it by setting VLLM_ATTENTION_BACKEND=FLASHINFER",
        "ValueError: Head size 288 is not supported. Set VLLM_USE_V1=0 to use another attention backend.",
        "try setting VLLM_ATTENTION_BACKEND=FLASHINFER",
    ],
)
def test_advice_is_not_what_somebody_did(text):
    assert not facts(text).env


def test_a_variable_with_two_values_is_noted():
    text = "export VLLM_ATTENTION_BACKEND=FLASHINFER\nthen I used\nexport VLLM_ATTENTION_BACKEND=XFORMERS"

    assert facts(text).env["VLLM_ATTENTION_BACKEND"] == "FLASHINFER"
    assert phrases(text) == [(NoteKind.CONTRADICTION, "two-values")]


def test_secrets_in_a_given_environment_and_command_are_masked():
    found = facts(
        SEED,
        Given(env={"HF_TOKEN": "abcdef123", "VLLM_USE_V1": "1"}, command="vllm serve m --api-key abc123def"),
    )

    assert dict(found.env) == {"HF_TOKEN": "<secret>", "VLLM_USE_V1": "1"}
    assert found.flags["--api-key"] == "<secret>"
    assert "abc123def" not in " ".join(found.argv)


def test_the_launch_is_read_from_a_command_in_prose():
    found = facts(
        "I start it with vllm serve Qwen/Qwen3-VL-4B -tp 2 --max-model-len=4096 "
        "--enforce-eager and get an error"
    )

    assert found.model == "Qwen/Qwen3-VL-4B"
    assert dict(found.flags) == {
        "--enforce-eager": "",
        "--max-model-len": "4096",
        "--tensor-parallel-size": "2",
    }
    assert found.argv[:5] == ("vllm", "serve", "Qwen/Qwen3-VL-4B", "-tp", "2")


def test_the_launch_is_read_from_a_command_over_several_lines():
    found = facts(
        "docker run --gpus all -p 8000:8000 \\\n  vllm/vllm-openai:v0.11.2 \\\n  --model "
        "Qwen/Qwen3-VL-4B \\\n  --attention-backend flashinfer\n"
    )

    assert (found.model, found.vllm_version, found.backend_requested) == (
        "Qwen/Qwen3-VL-4B",
        "0.11.2",
        "FLASHINFER",
    )
    assert found.argv == ("vllm", "serve", "--model", "Qwen/Qwen3-VL-4B", "--attention-backend", "flashinfer")


def test_the_launch_is_read_from_what_vllm_prints_of_it():
    found = facts(
        "(APIServer pid=1) INFO 12-01 04:40:20 [utils.py:253] non-default args: "
        "{'model_tag': '/models/m', 'host': '127.0.0.1', "
        "'model': '/models/m', 'enforce_eager': True, 'enable_prefix_caching': False, "
        "'limit_mm_per_prompt': {'image': 2}, 'api_key': None}"
    )

    assert found.model == "/models/m"
    assert dict(found.flags) == {
        "--enforce-eager": "",
        "--host": "127.0.0.1",
        "--limit-mm-per-prompt": "{'image': 2}",
        "--no-enable-prefix-caching": "",
    }


def test_of_a_namespace_only_what_is_no_default_counts():
    found = facts(
        "INFO 01-22 15:13:53 api_server.py:1] args: Namespace(model='a/b', host=None, "
        "dtype='auto', tensor_parallel_size=2, enforce_eager=True)"
    )

    assert found.model == "a/b"
    assert dict(found.flags) == {"--enforce-eager": "", "--tensor-parallel-size": "2"}


@pytest.mark.parametrize(
    "text",
    [
        '        args:\n        - --model=m\n        - --tensor-parallel-size\n        - "2"',
        'command: ["--model", "m", "--tensor-parallel-size", "2"]',
        '["vllm", "serve", "--model", "m", "--tensor-parallel-size", "2"]',
    ],
)
def test_flags_are_read_from_manifests(text):
    assert dict(facts(text).flags) == {"--model": "m", "--tensor-parallel-size": "2"}


def test_the_usage_of_the_program_is_no_launch():
    found = facts("usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --x")

    assert (found.argv, found.model) == ((), None)


@pytest.mark.parametrize(
    ("line", "backend"),
    [
        ("INFO 01-07 11:20:12 selector.py:141] Using Flashinfer backend.", "FLASHINFER"),
        ("INFO 03-19 11:53:56 [cuda.py:282] Using XFormers backend.", "XFORMERS"),
        ("INFO 04-17 20:54:09 [cuda.py:292] Using Flash Attention backend.", "FLASH_ATTN"),
        ("INFO 07-17 20:54:09 [cuda.py:292] Using Flash Attention backend on V1 engine.", "FLASH_ATTN"),
        (
            (
                "INFO 07-17 20:54:09 [cuda.py:292] Using FlashInfer backend with HND KV cache "
                "layout on V1 engine by default for Blackwell (SM 10.0) GPUs."
            ),
            "FLASHINFER",
        ),
        (
            "INFO 07-17 20:54:09 [cuda.py:292] Using FlexAttention backend for head_size=80 on V1 engine.",
            "FLEX_ATTENTION",
        ),
        ("INFO 07-17 20:54:09 [cuda.py:292] Using Triton MLA backend on V1 engine.", "TRITON_MLA"),
        ("INFO 12-28 17:16:27 [cuda.py:315] Using AttentionBackendEnum.TRITON_ATTN backend.", "TRITON_ATTN"),
        ("INFO 12-28 17:16:27 [cuda.py:315] Using FLASH_ATTN backend.", "FLASH_ATTN"),
        (
            (
                "INFO 12-28 17:16:27 [cuda.py:1] Using FLASH_ATTN attention backend out "
                "of potential backends: ['FLASH_ATTN', 'FLASHINFER']."
            ),
            "FLASH_ATTN",
        ),
        (
            "INFO 12-28 17:16:27 [rocm.py:1] Using TRITON_ATTN backend (selected via --attention-backend).",
            "TRITON_ATTN",
        ),
        (
            "INFO 12-28 17:16:27 [rocm.py:1] Using Aiter Flash Attention backend on V1 engine.",
            "ROCM_AITER_FA",
        ),
        (
            "INFO 12-28 17:16:27 [m.py:104] Using AttentionBackendEnum.FLASH_ATTN for MMEncoderAttention.",
            None,
        ),
        (
            (
                "INFO 12-28 17:16:27 [m.py:104] Using default backend "
                "AttentionBackendEnum.TORCH_SDPA for vit attention"
            ),
            None,
        ),
        ("INFO 12-28 17:16:27 [m.py:104] Using Triton MoE backend for unquantized layers", None),
        ("INFO 12-28 17:16:27 [m.py:104] Using nccl backend.", None),
    ],
)
def test_the_line_that_names_the_chosen_backend_is_read_in_every_era(line, backend):
    assert facts(line).backend_selected == backend


@pytest.mark.parametrize(
    ("text", "backend"),
    [
        ("vllm serve m --attention-backend flash-attn", "FLASH_ATTN"),
        ("vllm serve m --attention-config.backend FLASHINFER_MLA", "FLASHINFER_MLA"),
        ('vllm serve m --attention-config \'{"backend": "TRITON_ATTN"}\'', "TRITON_ATTN"),
        (
            "non-default args: {'model': 'm', 'attention_backend': <AttentionBackendEnum.FLASHINFER: 'x.y'>}",
            "FLASHINFER",
        ),
        (
            (
                "ValueError: Selected backend AttentionBackendEnum.CUTLASS_MLA "
                "is not valid for this configuration."
            ),
            "CUTLASS_MLA",
        ),
        ("ValueError: Unknown attention backend: 'ASCEND'. Valid options are: FLASH_ATTN", "ASCEND"),
        (
            "INFO 12-01 04:40:20 [cpu.py:1] Cannot use AttentionBackendEnum.FLASHINFER backend on CPU.",
            "FLASHINFER",
        ),
        (
            (
                "NotImplementedError: VLLM_USE_V1=1 is not supported with "
                "VLLM_ATTENTION_BACKEND=TRITON_ATTN_VLLM_V1."
            ),
            "TRITON_ATTN_VLLM_V1",
        ),
        (SEED, None),
    ],
)
def test_the_backend_that_was_asked_for_is_read(text, backend):
    assert facts(text).backend_requested == backend


def test_versions_of_packages_are_read():
    found = facts(
        "[pip3] torch==2.8.0+cu128\nflash-attn                        2.8.3\n"
        "flashinfer_python==0.3.1\nPyTorch version: 2.9.0\n"
    )

    assert dict(found.packages) == {
        "torch": "2.8.0+cu128",
        "flash-attn": "2.8.3",
        "flashinfer-python": "0.3.1",
    }


def test_an_empty_paste_says_nothing():
    assert facts("") == Facts()


@pytest.mark.parametrize(
    "text",
    [
        "VLLM_ATTENTION_BACKEND=FLASHINFER，请问怎么解决？",
        "（VLLM_ATTENTION_BACKEND=FLASHINFER）",
        "设置VLLM_ATTENTION_BACKEND=FLASHINFER的时候报错",
        "export VLLM_ATTENTION_BACKEND=FLASHINFER; vllm serve x",
        "export VLLM_ATTENTION_BACKEND=FLASHINFER && vllm serve x",
    ],
)
def test_a_value_ends_where_the_shell_or_the_prose_goes_on(text):
    assert facts(text).env["VLLM_ATTENTION_BACKEND"] == "FLASHINFER"


def test_an_argument_ends_where_chinese_prose_goes_on_and_a_path_may_be_chinese():
    assert facts("vllm serve X -tp 2，然后报错").argv == ("vllm", "serve", "X", "-tp", "2")
    assert facts("vllm serve /data/模型/qwen --port 9000; echo done").model == "/data/模型/qwen"


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("ERROR 02-11 08:25:49 [serving_chat.py:661] torch.OutOfMemoryError: CUDA out of memory.", "serving"),
        ("ERROR 02-11 08:25:49 [v1/chat/serving.py:661] ValueError: x", "serving"),
        ('  File "/x/vllm/v1/engine/core.py", line 999, in _process_engine_step', "serving"),
        ("INFO 02-11 08:25:49 [serving_chat.py:661] Using default chat sampling params", None),
        ("ERROR 02-11 08:25:49 [core.py:842] torch.OutOfMemoryError: CUDA out of memory.", None),
        ('  File "/x/vllm/v1/worker/gpu_worker.py", line 9, in load_model', None),
    ],
)
def test_a_record_about_requests_or_the_engines_loop_shows_that_the_server_was_up(text, stage):
    assert read_facts(read_paste(text))[0].stage == stage
