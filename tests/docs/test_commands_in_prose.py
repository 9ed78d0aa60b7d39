"""What README and docs tell people to type exists, with these very options; links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from bot.cli.reference.commands import command_helps
from bot.relaunch.chat.orders import Verb

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [path for path in PAGES if path.is_file() and "reference" not in path.relative_to(ROOT).parts]
HELPS = dict(command_helps())
#: a call of the program inside a block of code or between backticks; with a slash before it, it is typed in chat
CALL = re.compile(r"(?<!\A/)(?<!\s/)(?:vllm-diagnose|python3? -m bot)(?![\w./-])((?: +[^`|;&\n]*)?)")
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _calls(text):
    """Return the calls that stand in code."""
    blocks = re.findall(r"```\w*\n(.*?)```", text, flags=re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [found[1].strip() for code in (*blocks, *spans) for found in CALL.finditer(code)]


#: what is typed in chat
SLASH = re.compile(r"`/vllm-diagnose +([a-z]+)")
IN_CHAT = {"backends", "check", "help", *Verb}


def _faults(call):
    words = shlex.split(call, comments=True)
    if "--" in words:
        # what stands behind it is another program's
        words = words[: words.index("--")]
    path = "vllm-diagnose"
    while words and f"{path} {words[0]}" in HELPS:
        path = f"{path} {words.pop(0)}"
    known = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", HELPS[path]))
    if words and not words[0].startswith("-") and "COMMAND [ARGS]" in HELPS[path]:
        yield f"there is no command {path} {words[0]}"
    with_value = set(re.findall(r"^  (--[a-z][a-z-]*) [A-Z<]", HELPS[path], flags=re.MULTILINE))
    if "--" in words:
        # what stands behind it is a command of its own
        words = words[: words.index("--")]
    for before, word in zip(["", *words], words, strict=False):
        option = word.partition("=")[0]
        is_option = option.startswith("--") and option != "--" and before not in with_value
        if is_option and option not in known:
            yield f"{path} has no option {option}"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_that_is_written_down_exists(path):
    calls = _calls(path.read_text(encoding="utf-8"))

    assert [fault for call in calls for fault in _faults(call)] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_word_for_chat_is_one_that_the_bot_takes(path):
    assert set(SLASH.findall(path.read_text(encoding="utf-8"))) <= IN_CHAT


def test_the_check_finds_what_does_not_exist():
    assert list(_faults("diagnose --colour red a.log")) == ["vllm-diagnose diagnose has no option --colour"]
    assert list(_faults("reboot now")) == ["there is no command vllm-diagnose reboot"]
    assert list(_faults("releases show 0.11.2 --flag --attention-backend")) == []
    assert list(_faults("check --gpu H100 -- vllm serve m --dtype half")) == []
    assert list(_faults("check --colour red -- vllm serve m")) == [
        "vllm-diagnose check has no option --colour"
    ]


def test_the_readme_shows_the_program_at_work():
    assert len(_calls((ROOT / "README.md").read_text(encoding="utf-8"))) >= 3


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_make_target_that_is_written_down_exists(path):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    code = re.findall(r"`([^`\n]+)`|```\w*\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)

    named = {found for pair in code for text in pair for found in MAKE.findall(text)}
    assert named <= set(targets)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_to_a_file(path):
    links = LINK.findall(path.read_text(encoding="utf-8")) if path.is_file() else []
    inside = [link for link in links if "://" not in link and not link.startswith("mailto:")]

    assert [link for link in inside if not (path.parent / link).exists()] == []
