"""Only typed changes of allowed names become plans; all others are refused with a sentence."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.records import Check as HostCheck
from adapters.hosts.records import LaunchChange, Order
from bot.relaunch.planning.plan import Check, Timeouts
from bot.relaunch.planning.planning import Asked, Found, NotPlannableError, change_of, make_plan
from bot.relaunch.planning.settable import ChangeRefusedError, check_change
from rules.engine.report import Change, FixKind
from rules.releases.shipped import load_releases
from tests.bot.relaunch.team import NOON, OLD_FAILURE, Now, a_remedy
from tests.fakes.host import MODEL, FakeHost

NEVER = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PATH",
    "VLLM_PLUGINS",
    "VLLM_API_KEY",
    "HF_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "HOME",
    "vllm_attention_backend",
    "VLLM_ATTENTION_BACKEND\n",
    "VLLM_ATTENTION_BACKEND ",
    "VLLM_АTTENTION_BACKEND",
    "VLLM_X=1 LD_PRELOAD",
    "",
]
NEVER_FLAGS = [
    "--trust-remote-code",
    "--api-key",
    "--host",
    "--model",
    "--tokenizer",
    "--middleware",
    "--ssl-keyfile",
    "--allowed-local-media-path",
    "--chat-template",
    "-tp",
    "--max-model-len\n",
    "--max-model-len=1 --api-key",
    "--",
]
BAD_VALUES = [
    "",
    " ",
    "FLASH_ATTN; rm -rf /",
    "FLASH_ATTN\nLD_PRELOAD=/x",
    "$(id)",
    "`id`",
    "/a/../../etc",
    "../x",
    "--trust-remote-code",
    "а",
]


@pytest.mark.parametrize("name", NEVER)
@pytest.mark.parametrize("how", ["env_unset", "env_set"])
def test_variables_that_may_not_be_changed_are_refused(name, how):
    change = LaunchChange(**{how: (name,) if how == "env_unset" else {name: "1"}})

    with pytest.raises(ChangeRefusedError, match="may not be changed from chat"):
        check_change(change)


@pytest.mark.parametrize("name", NEVER_FLAGS)
@pytest.mark.parametrize("how", ["flags_unset", "flags_set"])
def test_flags_that_may_not_be_changed_are_refused(name, how):
    change = LaunchChange(**{how: (name,) if how == "flags_unset" else {name: "1"}})

    with pytest.raises(ChangeRefusedError, match="may not be changed from chat"):
        check_change(change)


@pytest.mark.parametrize("value", BAD_VALUES)
def test_a_value_that_is_no_plain_word_is_refused(value):
    with pytest.raises(ChangeRefusedError, match="not a plain word"):
        check_change(LaunchChange(env_set={"VLLM_ATTENTION_BACKEND": value}))


@given(st.text(max_size=40))
def test_whatever_is_let_through_can_steer_no_shell_and_no_parser(value):
    change = LaunchChange(flags_set={"--attention-backend": value})
    try:
        check_change(change)
    except ChangeRefusedError:
        return

    assert value.isascii()
    assert value.isprintable()
    assert not value.startswith("-")


@pytest.mark.parametrize(
    "value", ["FLASH_ATTN", "0.9", "32768", "/var/cache/x", '{"image": 2}', "auto", "a=b,c=d", "[1, 2]"]
)
def test_values_that_vllm_takes_are_let_through(value):
    check_change(LaunchChange(flags_set={"--limit-mm-per-prompt": value}, env_set={"VLLM_X": value}))


def test_a_switch_has_no_value_and_nothing_is_both_set_and_removed():
    check_change(LaunchChange(flags_set={"--enforce-eager": ""}))

    with pytest.raises(ChangeRefusedError, match="both set and removed"):
        check_change(LaunchChange(flags_set={"--enforce-eager": ""}, flags_unset=("--enforce-eager",)))


def test_a_release_that_lacks_a_name_or_a_value_refuses_it():
    release = load_releases().get("0.11.2")

    check_change(LaunchChange(env_set={"VLLM_ATTENTION_BACKEND": "FLASH_ATTN"}), release)
    with pytest.raises(ChangeRefusedError, match=r"0\.11\.2 has no flag --attention-backend"):
        check_change(LaunchChange(flags_set={"--attention-backend": "FLASH_ATTN"}), release)
    with pytest.raises(ChangeRefusedError, match="has no variable VLLM_NO_SUCH_THING"):
        check_change(LaunchChange(env_set={"VLLM_NO_SUCH_THING": "1"}), release)
    with pytest.raises(ChangeRefusedError, match="--dtype does not take float9"):
        check_change(LaunchChange(flags_set={"--dtype": "float9"}), release)


def asked(remedy, **values) -> Asked:
    settings = {
        "id": "r1",
        "nonce": "n1",
        "remedy": remedy,
        "incident": "i1",
        "fingerprint": OLD_FAILURE,
        "rule": "vit-backend-rejected",
        "rule_version": 3,
        "is_vision": False,
        "is_forced": False,
        "made_at": NOON,
        "expires_at": NOON + timedelta(minutes=30),
    }
    return Asked(**{**settings, **values})


async def found(remedy, host=None, **values) -> Found:
    host = host or FakeHost(Now())
    preflight = await host.preflight(Order("qwen", "k", 0), change_of(remedy))
    settings = {
        "host": "gpu-1",
        "snapshot": await host.snapshot("qwen"),
        "preflight": preflight,
        "is_serving": False,
        "vllm_version": "0.11.2",
        "release": None,
        "model": MODEL,
        "usual_start": 125.0,
    }
    return Found(**{**settings, **values})


async def test_a_plan_shows_what_changes_and_keeps_secrets_masked():
    remedy = a_remedy()

    plan = make_plan(asked(remedy), await found(remedy), Timeouts())

    (line,) = plan.diff
    assert (line.name, line.before, line.after) == ("VLLM_ATTENTION_BACKEND", "FLASHINFER", None)
    assert plan.before.spec_hash != plan.after.spec_hash
    assert "hf_secret" not in str(plan)
    assert plan.expected_minutes == 2
    assert plan.promises.lines == (("Using FLASH_ATTN backend.", "Using FLASHINFER backend."),)
    assert plan.checks == (
        Check.PROCESS,
        Check.LOG_LINE,
        Check.NOT_THE_OLD_FAILURE,
        Check.HEALTH,
        Check.MODELS,
        Check.TEXT,
        Check.SOAK,
    )


async def test_a_change_for_images_asks_about_an_image_and_one_that_sets_a_variable_looks_for_its_warning():
    remedy = a_remedy(
        kind=FixKind.SET_ENV, change=Change(env_set={"VLLM_ATTENTION_BACKEND": "FLASH_ATTN"}), verify=()
    )

    plan = make_plan(asked(remedy, is_vision=True), await found(remedy), Timeouts())

    assert Check.IMAGE in plan.checks
    assert Check.NO_UNKNOWN_VARIABLE in plan.checks
    assert Check.LOG_LINE not in plan.checks


@pytest.mark.parametrize(
    ("setting", "is_promised"),
    [
        ({"VLLM_LOGGING_LEVEL": "WARNING"}, False),
        ({"VLLM_LOGGING_LEVEL": "error"}, False),
        ({"VLLM_CONFIGURE_LOGGING": "0"}, False),
        ({"VLLM_LOGGING_CONFIG_PATH": "/etc/logging.json"}, False),
        ({"VLLM_LOGGING_LEVEL": "debug"}, True),
        ({"VLLM_LOGGING_LEVEL": "INFO", "VLLM_CONFIGURE_LOGGING": "1"}, True),
    ],
)
async def test_a_line_is_promised_only_where_the_launch_lets_vllm_log_it(setting, is_promised):
    remedy = a_remedy()
    host = FakeHost(Now(), env={"VLLM_ATTENTION_BACKEND": "FLASHINFER", **setting})

    plan = make_plan(asked(remedy), await found(remedy, host), Timeouts())

    assert (Check.LOG_LINE in plan.checks) is is_promised


async def test_a_line_is_promised_only_where_it_is_known_which_gpu_the_server_runs_on():
    remedy = a_remedy()

    known = make_plan(asked(remedy), await found(remedy), Timeouts())
    unknown = make_plan(asked(remedy), await found(remedy, has_gpu=False), Timeouts())

    assert Check.LOG_LINE in known.checks
    assert Check.LOG_LINE not in unknown.checks
    assert unknown.promises.lines == ()


async def test_what_speaks_against_a_plan_is_said():
    remedy = a_remedy()
    host = FakeHost(Now(), unsound=(HostCheck("disk", is_sound=False, detail="The disk is full."),))
    done = FakeHost(Now(), env={"PATH": "/usr/bin"})

    with pytest.raises(NotPlannableError, match="The disk is full"):
        make_plan(asked(remedy), await found(remedy, host), Timeouts())
    with pytest.raises(NotPlannableError, match="has this change already"):
        make_plan(asked(remedy), await found(remedy, done), Timeouts())
    with pytest.raises(NotPlannableError, match=r"is for vLLM >=0.11,<0.12, and the host has 0.12.0"):
        make_plan(asked(remedy), await found(remedy, vllm_version="0.12.0"), Timeouts())
    with pytest.raises(NotPlannableError, match="does not say which vLLM"):
        make_plan(asked(remedy), await found(remedy, vllm_version=None), Timeouts())


@pytest.mark.parametrize(
    "values",
    [
        {"relaunchable": False},
        {"kind": FixKind.UPGRADE, "change": None},
        {"change": Change(env_unset=("LD_PRELOAD",))},
    ],
)
def test_a_fix_that_a_relaunch_cannot_carry_out_makes_no_plan(values):
    with pytest.raises(NotPlannableError):
        change_of(a_remedy(**values))


async def test_a_plain_restart_changes_nothing_and_is_a_plan_all_the_same():
    remedy = a_remedy(kind=FixKind.RESTART, change=None, verify=())

    plan = make_plan(asked(remedy), await found(remedy), Timeouts())

    assert plan.before.spec_hash == plan.after.spec_hash
    assert plan.diff == ()
