"""Answers about attention from a record made by hand: what is open stays open."""

import pytest

from rules.releases.attention import SettingAnswers, TextAnswers, TowerAnswers
from rules.releases.model import (
    CAPABILITIES,
    HEAD_SIZES,
    Attention,
    Backend,
    ChosenBy,
    Part,
    Reach,
    Rescue,
    SelectionLine,
    Source,
    TextOrder,
    TowerChoices,
    TowerDefault,
    Unread,
)
from rules.releases.release import Choice, Where

HERE = Source("vllm/platforms/cuda.py", 7)
FROM_8_0 = tuple(one for one in CAPABILITIES if float(one) >= 8)


class _Release(TextAnswers, TowerAnswers, SettingAnswers):
    def __init__(self, **facts):
        self._attention = Attention(**facts)


def _backend(name, **limits):
    declared = {
        "capabilities": FROM_8_0,
        "head_sizes": HEAD_SIZES,
        "dtypes": ("float16",),
        "kv_cache_dtypes": ("auto",),
        "block_sizes": ("x16",),
        "attention_types": ("decoder",),
    }
    return Backend(name, HERE, **{**declared, **limits})


def _order(order, capabilities=(), head_sizes=(), mla=False):
    return TextOrder("cuda", mla, capabilities, head_sizes, order, HERE)


def test_a_limit_that_excludes_the_machine_is_a_no_even_while_the_rest_is_open():
    release = _Release(backends=(_backend("FLASH_ATTN"),))

    assert release.text_accepts("FLASH_ATTN", Where(compute_capability="7.5")) is False
    assert release.text_accepts("FLASH_ATTN", Where(compute_capability="9.0", head_size=128)) is True


def test_an_unknown_machine_leaves_the_answer_open_unless_every_machine_is_accepted():
    release = _Release(backends=(_backend("FLASH_ATTN"), _backend("TRITON_ATTN", capabilities=CAPABILITIES)))

    assert release.text_accepts("FLASH_ATTN", Where(head_size=128)) is None
    assert release.text_accepts("TRITON_ATTN", Where()) is True


@pytest.mark.parametrize(("head_size", "accepts"), [(128, True), (512, None), (100, None)])
def test_a_limit_decided_at_run_time_is_sure_only_of_what_it_names(head_size, accepts):
    backend = _backend("FLASH_ATTN", head_sizes=(128,), at_run_time=("head_sizes",))

    where = Where(compute_capability="9.0", head_size=head_size)
    assert _Release(backends=(backend,)).text_accepts("FLASH_ATTN", where) is accepts


@pytest.mark.parametrize(
    ("backend", "accepts"),
    [
        (_backend("CUSTOM", registered=False), False),
        (_backend("ROCM_ATTN"), False),
        (_backend("CPU_ATTN"), False),
        (_backend("FLASHMLA", mla=True), False),
        (_backend("FLASHMLA_SPARSE", sparse=True), None),
        (_backend("ENCODER_ONE", attention_types=("encoder",)), False),
        (_backend("TURBOQUANT", kv_cache_dtypes=("turboquant_k8v4",)), False),
        (_backend("PICKY", at_run_time=("combination",)), None),
        (_backend("OLD", capabilities=None), None),
        (_backend("TORCH_SDPA", platforms=("cpu",)), False),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_backend_that_cannot_be_meant_is_refused(backend, accepts):
    where = Where(compute_capability="9.0", head_size=128)

    assert _Release(backends=(backend,)).text_accepts(backend.name, where) is accepts


def test_a_name_that_the_release_does_not_have_is_refused():
    assert _Release().text_accepts("FLASH_ATTN", Where()) is False


def test_what_the_release_tries_itself_is_accepted_though_it_declares_no_limit():
    old = _backend("XFORMERS", capabilities=None, head_sizes=None)
    release = _Release(backends=(old,), text_orders=(_order(("XFORMERS",), ("7.5",)),))

    assert release.text_accepts("XFORMERS", Where(compute_capability="7.5", head_size=80)) is True
    assert release.text_accepts("XFORMERS", Where(compute_capability="9.0", head_size=80)) is None
    assert release.text_accepts("XFORMERS", Where(compute_capability="7.5")) is None


def test_the_order_is_open_where_machines_or_head_sizes_would_differ():
    release = _Release(
        text_orders=(
            _order(("A", "B"), ("9.0",), (64,)),
            _order(("B",), ("9.0",), (80,)),
            _order(("A", "B"), ("8.0",)),
        )
    )

    assert release.text_order(Where(compute_capability="9.0", head_size=64)) == ("A", "B")
    assert release.text_order(Where(compute_capability="9.0")) is None
    assert release.text_order(Where(head_size=64)) == ("A", "B")
    assert release.text_order(Where(compute_capability="12.0", head_size=64)) is None
    assert release.text_order(Where(compute_capability="6.1", head_size=64)) is None
    assert release.text_order(Where(compute_capability="9.0", head_size=64, mla=True)) is None


def test_a_default_tells_the_package_that_the_machine_lacks():
    release = _Release(
        tower_defaults=(TowerDefault("cuda", (), (), "XFORMERS", "xformers", HERE),),
        packages=(("xformers", '==0.0.32; platform_system == "Linux" and platform_machine == "x86_64"'),),
    )

    assert release.tower_default(Where(architecture="x86_64")) == Choice("XFORMERS")
    assert release.tower_default(Where(architecture="aarch64")) == Choice("XFORMERS", "xformers")
    assert release.tower_default(Where()) is None


def test_a_default_whose_package_nobody_installs_fails_everywhere():
    release = _Release(tower_defaults=(TowerDefault("cuda", (), (), "XFORMERS", "xformers", HERE),))

    assert release.tower_default(Where()) == Choice("XFORMERS", "xformers")


def test_the_encoder_flag_takes_every_member_while_no_platform_has_a_list():
    flag = Reach("--mm-encoder-attn-backend", (Part.TOWER,), Unread.IS_READ, None, HERE)
    listed = TowerChoices("cuda", (), ("FLASH_ATTN", "TORCH_SDPA"), HERE)
    backends = (_backend("FLASH_ATTN"), _backend("FLASHINFER"))

    assert _Release(backends=backends).tower_choices(Where()) is None
    assert _Release(backends=backends, reaches=(flag,)).tower_choices(Where()) == ("FLASH_ATTN", "FLASHINFER")
    assert _Release(reaches=(flag,), tower_choices=(listed,)).tower_choices(Where()) == (
        "FLASH_ATTN",
        "TORCH_SDPA",
    )
    assert _Release(reaches=(flag,), tower_choices=(listed,)).tower_choices(Where(platform="tpu")) is None


def test_a_rescue_is_told_where_there_is_one():
    assert _Release(rescues=(Rescue("flash-attn", HERE),)).tower_rescued_by() == "flash-attn"
    assert _Release().tower_rescued_by() is None


def test_an_unknown_setting_reaches_nothing_and_meets_what_the_release_does_with_unknown_ones():
    warning = "Unknown vLLM environment variable detected: {}"
    release = _Release(
        reaches=(
            Reach("VLLM_*", (), Unread.WARNS, warning, HERE),
            Reach("--*", (), Unread.REJECTED, "unrecognized arguments: {}", None),
        )
    )

    assert release.reach("VLLM_FOO").message == "Unknown vLLM environment variable detected: VLLM_FOO"
    assert release.reach("--foo-bar").unread is Unread.REJECTED
    assert release.reach("CUDA_VISIBLE_DEVICES") == Reach(
        "CUDA_VISIBLE_DEVICES", (), Unread.SILENT, None, None
    )


def test_a_flag_is_found_in_its_underscore_spelling():
    reach = Reach("--attention-backend", (Part.TEXT,), Unread.IS_READ, None, HERE)

    assert _Release(reaches=(reach,)).reach("--attention_backend") == reach


def _line(template, backend=None, platform="cuda", by=ChosenBy.AUTO, part=Part.TEXT):
    return SelectionLine(part, by, platform, backend, template, HERE)


def test_a_line_is_stable_up_to_its_first_variable_part():
    line = _line("Using {backend} attention backend out of potential backends: {}.")
    release = _Release(backends=(_backend("FLASH_ATTN"),), selection_lines=(line,))

    text = release.selection_line(Part.TEXT, "FLASH_ATTN", ChosenBy.AUTO)

    assert text == "Using FLASH_ATTN attention backend out of potential backends:"
    assert release.selection_line(Part.TEXT, "FLASH_ATTN", ChosenBy.USER) is None
    assert release.selection_line(Part.TEXT, "FLASH_ATTN", ChosenBy.AUTO, "rocm") is None
    assert release.selection_line(Part.TEXT, "GONE", ChosenBy.AUTO) is None


def test_of_several_lines_only_what_they_share_is_promised():
    lines = (
        _line("Using Flash Attention backend on V1 engine.", "FLASH_ATTN"),
        _line("Using Flash Attention backend.", "FLASH_ATTN"),
        _line("Using AttentionBackendEnum.CUTLASS_MLA backend.", "CUTLASS_MLA"),
        _line("Using CUTLASS_MLA backend.", "CUTLASS_MLA"),
    )
    release = _Release(backends=(_backend("FLASH_ATTN"), _backend("CUTLASS_MLA")), selection_lines=lines)

    assert release.selection_line(Part.TEXT, "FLASH_ATTN", ChosenBy.AUTO) == "Using Flash Attention backend"
    assert release.selection_line(Part.TEXT, "CUTLASS_MLA", ChosenBy.AUTO) is None


def test_what_every_encoder_layer_logs_comes_before_what_one_platform_logs():
    lines = (
        _line("Using AttentionBackendEnum.{backend} for MMEncoderAttention.", None, "any", part=Part.TOWER),
        _line("Using backend AttentionBackendEnum.{backend} for vit attention", None, part=Part.TOWER),
    )
    release = _Release(backends=(_backend("TORCH_SDPA"),), selection_lines=lines)

    assert release.selection_line(Part.TOWER, "TORCH_SDPA", ChosenBy.AUTO, "xpu") == (
        "Using AttentionBackendEnum.TORCH_SDPA for MMEncoderAttention."
    )


def test_a_requirement_is_found_in_any_spelling_of_its_name():
    release = _Release(packages=(("flashinfer-python", "==0.5.2"),))

    assert release.requirement("FlashInfer_Python") == "==0.5.2"
    assert release.requirement("xformers") is None
