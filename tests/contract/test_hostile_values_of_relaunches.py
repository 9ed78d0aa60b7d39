"""Hostile values in plans, buttons, console requests and commands: none is run, kept raw, or acts for another."""

import json
import re
import shlex

import pytest

from bot.relaunch.chat.actions import ACTIONS, pick_of, plan_of
from bot.relaunch.outcomes import OutcomeKind
from rules.engine.report import Change, FixKind
from tests.bot.relaunch.team import ANNA, a_remedy, a_team, wanted
from tests.scenario.a_terminal import ROOM, a_terminal

#: what a shell, a terminal, a page, a platform, a path or a parser would act on
HOSTILE = (
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "| touch pwned",
    "&& touch pwned #",
    "x\ntouch pwned",
    "x\r\nINFO forged line",
    "x\x00y",
    "\x1b[2J\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202eabc",
    "\u2066abc\u2069",
    "\u2028abc",
    "\uff26\uff2c\uff21\uff33\uff28",
    "FLASH ATTN",
    "../../etc/passwd",
    "/models/../../etc",
    "--trust-remote-code",
    "-oProxyCommand=touch pwned",
    "--api-key=x",
    "@everyone",
    "<!channel>",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    "%s%n{0}{title}",
    "[]",
    "A" * 5_000,
    "界" * 300,
    "",
)
assert len(set(HOSTILE)) == 30

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
NAMES = ("LD_PRELOAD", "PYTHONPATH", "PATH", "VLLM_PLUGINS", "HF_TOKEN", "VLLM_X=1", "vllm_x", "VLLM X", "")
FLAGS = ("--trust-remote-code", "--api-key", "--model", "--host", "-o", "--dtype=x", "--dtype x", "dtype", "")


def changes():
    # `[]` is a plain value of flags that take JSON, and flags without a value have an empty one
    for value in HOSTILE:
        if value != "[]":
            yield Change(env_set={"VLLM_ATTENTION_BACKEND": value})
        if value not in {"", "[]"}:
            yield Change(flags_set={"--attention-backend": value})
        yield Change(env_unset=(value,))
        yield Change(flags_unset=(value,))
    yield from (Change(env_set={name: "1"}) for name in NAMES)
    yield from (Change(flags_set={name: "1"}) for name in FLAGS)


async def test_no_hostile_field_becomes_a_plan(tmp_path):
    async with a_team(tmp_path) as team:
        for change in changes():
            team.switches = type(team.switches)(True, False, 10_000)
            remedy = a_remedy(kind=FixKind.SET_ENV, change=change)

            outcome = await team.desk.request(ANNA, wanted(remedy=remedy))

            assert outcome.kind is OutcomeKind.FAILED, change
            assert outcome.plan is None
            assert not _STEERING.search(outcome.detail)
            assert not _STEERING.search(outcome.relaunch.detail)
        assert team.host.effects == []
        assert not _STEERING.search(json.dumps(await team.journalled(), ensure_ascii=False))


@pytest.mark.parametrize("value", HOSTILE)
def test_no_hostile_payload_names_a_plan_or_a_server(value):
    for payload in (
        value,
        f"{'0' * 32}:{value}",
        f"{value}:{'0' * 24}",
        f"{'0' * 32}:{'0' * 24}{value or ' '}",
    ):
        assert plan_of(payload) is None
        assert pick_of(payload) is None


async def test_no_hostile_command_or_press_does_anything(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with a_terminal(tmp_path, monkeypatch) as terminal:
        stage, named = terminal.team.stage, terminal.host.name
        answer = stage.answers(ROOM)[0]
        forms = (
            lambda value: ("show", value),
            lambda value: ("plan", value, "--incident", terminal.incident),
            lambda value: ("request", named, "--incident", value),
            lambda value: ("request", named, "--incident", terminal.incident, "--fix", value),
            lambda value: ("approve", value, "--yes", "--plan", value),
            lambda value: ("fetch", value),
        )
        for number, value in enumerate(HOSTILE):
            if "\x00" in value:
                # no shell can pass it on
                continue
            arguments = forms[number % len(forms)](value)
            code, out, err = await terminal.types(*arguments)
            assert (code, out) == (64, ""), (arguments, err)
            assert err.count("\n") == 1
            assert not _STEERING.search(err)
        for number, value in enumerate(HOSTILE):
            action = sorted(ACTIONS)[number % len(ACTIONS)]
            for pressed in ({"action": action, "value": value}, {"action": value, "value": "x"}):
                body = {"message": answer.id, "thread": answer.thread, **pressed}
                status, _ = await stage._page.post(f"/api/rooms/{ROOM}/clicks", body=body)
                assert status < 500, pressed
        await stage.settled(90)

        assert await terminal.runs() == []
        assert terminal.host.starts() == []
        assert not list(tmp_path.rglob("*pwned*"))
        journal = json.dumps(await terminal.team.journalled(), ensure_ascii=False)
        assert not _STEERING.search(journal)
        assert all(shlex.quote(value) not in journal for value in HOSTILE if value)
