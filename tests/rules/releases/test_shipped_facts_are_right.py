"""Facts checked by hand in vLLM's source; the file and line of each row are where it stands there."""

from itertools import pairwise

import pytest
from packaging.specifiers import SpecifierSet

from rules.releases.shipped import DATA, load_releases

LARGEST_BYTES = 6 * 1024 * 1024
RELEASES = [
    "0.6.3", "0.6.3.post1", "0.6.4", "0.6.4.post1", "0.6.5", "0.6.6", "0.6.6.post1", "0.7.0",
    "0.7.1", "0.7.2", "0.7.3", "0.8.0", "0.8.1", "0.8.2", "0.8.3", "0.8.4", "0.8.5", "0.8.5.post1",
    "0.9.0", "0.9.0.1", "0.9.1", "0.9.2", "0.10.0", "0.10.1", "0.10.1.1", "0.10.2", "0.11.0",
    "0.11.1", "0.11.2", "0.12.0", "0.13.0", "0.14.0", "0.14.1", "0.15.0", "0.15.1", "0.16.0",
    "0.17.0", "0.17.1", "0.18.0", "0.18.1", "0.19.0", "0.19.1", "0.20.0", "0.20.1", "0.20.2",
    "0.21.0", "0.22.0", "0.22.1", "0.23.0", "0.24.0", "0.25.0", "0.25.1", "0.26.0", "0.27.0",
    "0.27.1", "0.28.0", "0.29.0", "0.30.0", "0.31.0", "0.32.0", "0.33.0",
]  # fmt: skip


def _release(version):
    return load_releases().get(version)


def _having(test):
    return [str(version) for version in load_releases().versions() if test(_release(version))]


def _within(specifier):
    return [version for version in RELEASES if version in SpecifierSet(specifier)]


def test_every_release_from_0_6_3_on_is_shipped():
    assert [str(version) for version in load_releases().versions()][: len(RELEASES)] == RELEASES


def test_the_data_is_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) <= LARGEST_BYTES


@pytest.mark.parametrize(
    ("flag", "releases"),
    [
        ("--attention-backend", ">=0.13.0"),
        ("--attention-config", ">=0.13.0"),
        ("--mm-encoder-attn-backend", ">=0.11.1"),
        ("--fail-on-environ-validation", ">=0.17.0"),
        ("--calculate-kv-scales", ">=0.7.0,<0.28.0"),
        ("--disable-cascade-attn", ">=0.8.2"),
        ("--mm-encoder-attn-dtype", ">=0.21.0"),
        ("--compilation-config", ">=0.6.5"),
        ("--swap-space", "<0.18.0"),
        ("--max-seq-len-to-capture", "<0.11.0"),
        ("--task", ">=0.6.4,<0.13.0"),
        ("--tensor-parallel-size", ">=0.6.3"),
        ("--host", ">=0.6.3"),
        ("--api-key", ">=0.6.3"),
    ],
)
def test_a_flag_exists_in_these_releases_and_no_others(flag, releases):
    assert _having(lambda release: release.flag(flag)) == _within(releases)


@pytest.mark.parametrize(
    ("variable", "releases"),
    [
        ("VLLM_ATTENTION_BACKEND", "<0.15.0"),
        ("VLLM_USE_V1", ">=0.6.4,<0.11.1"),
        ("VLLM_FLASH_ATTN_VERSION", ">=0.7.0,<0.15.0"),
        ("VLLM_WORKER_MULTIPROC_METHOD", ">=0.6.3"),
        ("VLLM_USE_TRTLLM_ATTENTION", ">=0.10.1,<0.15.0"),
    ],
)
def test_a_variable_is_known_in_these_releases_and_no_others(variable, releases):
    assert _having(lambda release: release.variable(variable)) == _within(releases)


@pytest.mark.parametrize(
    ("version", "flag", "source"),
    [
        ("0.6.3", "--kv-cache-dtype", "vllm/engine/arg_utils.py:293"),
        ("0.7.0", "--calculate-kv-scales", "vllm/engine/arg_utils.py:953"),
        ("0.9.0.1", "--calculate-kv-scales", "vllm/engine/arg_utils.py:658"),
        ("0.9.2", "--port", "vllm/entrypoints/openai/cli_args.py:90"),
        ("0.10.2", "--max-seq-len-to-capture", "vllm/engine/arg_utils.py:532"),
        ("0.11.1", "--mm-encoder-attn-backend", "vllm/engine/arg_utils.py:977"),
        ("0.11.2", "--dtype", "vllm/engine/arg_utils.py:618"),
        ("0.13.0", "--attention-backend", "vllm/engine/arg_utils.py:727"),
        ("0.13.0", "--attention-config.backend", "vllm/config/attention.py:21"),
        ("0.17.0", "--fail-on-environ-validation", "vllm/engine/arg_utils.py:1297"),
        ("0.20.2", "--dtype", "vllm/engine/arg_utils.py:753"),
        ("0.26.0", "--attention-config.backend_per_kind", "vllm/config/attention.py:23"),
        ("0.27.1", "--calculate-kv-scales", "vllm/engine/arg_utils.py:1218"),
        ("0.30.0", "--port", "vllm/entrypoints/launchers/cli_args.py:262"),
        ("0.32.0", "--disable-cascade-attn", "vllm/engine/arg_utils.py:994"),
    ],
)
def test_a_flag_stands_where_the_source_names_it(version, flag, source):
    assert str(_release(version).flag(flag).source) == source


@pytest.mark.parametrize(
    ("version", "variable", "source"),
    [
        ("0.6.3", "VLLM_ATTENTION_BACKEND", "vllm/envs.py:271"),
        ("0.11.0", "VLLM_USE_V1", "vllm/envs.py:900"),
        ("0.11.0", "VLLM_ATTENTION_BACKEND", "vllm/envs.py:612"),
        ("0.12.0", "VLLM_KV_CACHE_LAYOUT", "vllm/envs.py:1348"),
        ("0.14.1", "VLLM_ATTENTION_BACKEND", "vllm/envs.py:687"),
    ],
)
def test_a_variable_stands_where_the_source_names_it(version, variable, source):
    assert str(_release(version).variable(variable).source) == source


@pytest.mark.parametrize(
    ("version", "flag", "choices"),
    [
        # vllm/engine/arg_utils.py:281
        ("0.6.3", "--dtype", "auto half float16 bfloat16 float float32"),
        # vllm/config/model.py:83
        ("0.11.2", "--dtype", "auto half float16 bfloat16 float float32"),
        # vllm/engine/arg_utils.py:295
        ("0.6.3", "--kv-cache-dtype", "auto fp8 fp8_e5m2 fp8_e4m3"),
        # vllm/config/cache.py:24
        ("0.11.2", "--kv-cache-dtype", "auto bfloat16 fp8 fp8_e4m3 fp8_e5m2 fp8_inc fp8_ds_mla"),
        # vllm/config.py:1292
        ("0.8.5", "--prefix-caching-hash-algo", "builtin sha256"),
        # vllm/engine/arg_utils.py:1330
        ("0.18.0", "--gdn-prefill-backend", "flashinfer triton"),
    ],
)
def test_choices_are_those_of_the_source(version, flag, choices):
    assert _release(version).flag(flag).choices == tuple(choices.split())


def test_values_of_the_attention_flag_are_the_members_of_the_enum_in_any_case():
    for version in _within(">=0.13.0"):
        release = _release(version)
        flag = release.flag("--attention-backend")

        assert {backend.name for backend in release.backends()} <= set(flag.choices)
        assert flag.any_case
        # "auto" is taken by the validator of vllm/config/attention.py from 0.18.0 on
        assert ("auto" in flag.choices) == (version in SpecifierSet(">=0.18.0"))


@pytest.mark.parametrize(
    ("version", "choices"),
    # vllm/envs.py:345 of 0.6.3 reads the variable as it is; 0.12.0 checks it against the enum (envs.py:652)
    [("0.6.3", None), ("0.10.2", None), ("0.12.0", "FLASH_ATTN")],
)
def test_the_backend_variable_is_checked_from_0_11_0_on(version, choices):
    found = _release(version).variable("VLLM_ATTENTION_BACKEND").choices

    assert (found is None) if choices is None else (choices in found)


def test_the_backend_variable_takes_the_members_of_the_enum():
    for version in _within(">=0.11.0,<0.15.0"):
        release = _release(version)

        assert release.variable("VLLM_ATTENTION_BACKEND").choices == tuple(
            one.name for one in release.backends()
        )


@pytest.mark.parametrize(
    ("version", "name", "said"),
    [
        # vllm/engine/arg_utils.py:627
        (
            "0.9.2",
            "--enable-reasoning",
            "[DEPRECATED] The `--enable-reasoning` flag is deprecated as of v0.9.0.",
        ),
        # vllm/engine/arg_utils.py:1094
        ("0.12.0", "--cuda-graph-sizes", "--cuda-graph-sizes is deprecated and will be removed in v0.13.0"),
        (
            "0.20.2",
            "--calculate-kv-scales",
            "Deprecated: This option is deprecated and will be removed in v0.19.",
        ),
        # vllm/engine/arg_utils.py:475 of 0.33.0
        ("0.33.0", "--disable-cascade-attn", "--disable-cascade-attn is deprecated and has no effect"),
        ("0.11.2", "--dtype", None),
        ("0.33.0", "--allow-deprecated-quantization", None),
        ("0.33.0", "--structured-outputs-config.backend", None),
    ],
)
def test_a_flag_is_deprecated_in_the_words_of_the_source(version, name, said):
    found = _release(version).flag(name).deprecated

    assert (found is None) if said is None else found.startswith(said)


def test_the_backend_variable_is_deprecated_in_0_13_and_0_14_only():
    deprecated = _having(
        lambda release: (found := release.variable("VLLM_ATTENTION_BACKEND")) and found.deprecated
    )

    assert deprecated == ["0.13.0", "0.14.0", "0.14.1"]
    # vllm/config/attention.py:83
    assert _release("0.13.0").variable("VLLM_ATTENTION_BACKEND").deprecated == (
        "Using VLLM_ATTENTION_BACKEND environment variable is deprecated and will be removed in v0.14.0 or "
        "v1.0.0, whichever is soonest. Please use --attention-config.backend command line argument or "
        "AttentionConfig(backend=...) config field instead."
    )


@pytest.mark.parametrize(
    ("version", "kind", "template", "source"),
    [
        (
            "0.11.2",
            "RuntimeError",
            "Qwen3-VL does not support {} backend now.",
            "vllm/model_executor/models/qwen3_vl.py:390",
        ),
        (
            "0.11.2",
            "RuntimeError",
            "Engine core initialization failed. See root cause above. Failed core proc(s): {}",
            "vllm/v1/engine/utils.py:964",
        ),
        (
            "0.6.3",
            "ValueError",
            (
                "Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your {} GPU has "
                "compute capability {}. You can use float16 instead by explicitly setting the`dtype` flag "
                "in CLI, for example: --dtype=half."
            ),
            "vllm/worker/worker.py:473",
        ),
        (
            "0.9.2",
            "ValueError",
            (
                "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
                "initializing the engine."
            ),
            "vllm/v1/core/kv_cache_utils.py:555",
        ),
        (
            "0.13.0",
            "ValueError",
            "attention_backend and attention_config.backend are mutually exclusive",
            "vllm/engine/arg_utils.py:1648",
        ),
        ("0.17.0", "ValueError", "Unknown vLLM environment variable detected: {}", "vllm/envs.py:1708"),
        ("0.17.0", "log.warning", "Unknown vLLM environment variable detected: {}", "vllm/envs.py:1710"),
        (
            "0.31.0",
            "log.warning",
            "Unknown vLLM environment variable detected: {}",
            "vllm/platforms/interface.py:1355",
        ),
        (
            "0.20.2",
            "log.info",
            "Using {} attention backend out of potential backends: {}.",
            "vllm/platforms/cuda.py:368",
        ),
        (
            "0.11.2",
            "Exception",
            (
                "WorkerProc initialization failed due to an exception in a background process. "
                "See stack trace for root cause."
            ),
            "vllm/v1/executor/multiproc_executor.py:626",
        ),
    ],
)
def test_a_text_stands_where_the_source_says_it(version, kind, template, source):
    assert (kind, template, source) in {
        (message.kind, message.template, str(message.source)) for message in _release(version).messages()
    }


def test_no_release_loses_what_both_its_neighbours_have():
    names = {
        version: {flag.name for flag in _release(version).flags()}
        | {variable.name for variable in _release(version).variables()}
        for version in RELEASES
    }

    lost = {
        version: (names[before] & names[after]) - names[version]
        for before, version, after in zip(RELEASES, RELEASES[1:], RELEASES[2:], strict=False)
    }

    assert {version: found for version, found in lost.items() if found} == {}


def test_every_release_has_about_as_many_facts_as_the_one_before():
    for before, version in pairwise(RELEASES):
        old, new = _release(before), _release(version)

        for facts in ("flags", "variables", "messages"):
            counts = len(list(getattr(old, facts)())), len(list(getattr(new, facts)()))
            assert 0.8 <= counts[1] / counts[0] <= 1.6, (version, facts, counts)


def test_nothing_of_any_release_was_unreadable():
    assert [remark for version in RELEASES for remark in _release(version).record().remarks] == []
