"""What is said of a relaunch is put together as sentences, whoever said the parts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.locale import LANGUAGES
from bot.relaunch.chat.words import said_card, several_card
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.sentences import clause, joined, sentence
from tests.bot.relaunch.team import ANNA, a_remedy, a_team, wanted

CLAUSE = "the registered launch has this change already"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (CLAUSE, "The registered launch has this change already."),
        ("qwen answers its health check.", "qwen answers its health check."),
        ("gpu-1 is away", "gpu-1 is away."),
        ("--dtype does not take half;", "--dtype does not take half."),
        ("已切换。", "已切换。"),
        ("  ", ""),
    ],
)
def test_a_clause_becomes_a_sentence_and_a_sentence_and_a_name_stay(told, said):
    assert sentence(told) == said


@given(st.lists(st.text(max_size=30), max_size=4))
@example(["Not now.", "This bot only plans: dry run is on."])
def test_parts_are_joined_once_and_doing_it_again_changes_nothing(parts):
    told = joined(*parts)

    assert joined(told) == told
    assert told.startswith(clause(*parts))


def test_what_goes_on_after_it_has_no_full_stop_before_its_comma():
    assert clause("Not now.", "Dry run is on.") == "Not now. Dry run is on"
    assert clause("Nothing was changed.", CLAUSE) == f"Nothing was changed. T{CLAUSE[1:]}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_says_a_refusal_in_sentences(language):
    outcome = DeskOutcome(OutcomeKind.FAILED, detail=CLAUSE, next_step="look at its log for another cause.")

    told = " ".join(part.text for part in said_card(outcome, language).sections[0].parts)
    (line,) = several_card([("qwen", outcome)], language).sections[0].parts[0].items

    for text in (told, line):
        assert f"T{CLAUSE[1:]}. " in text
        assert not any(wrong in text for wrong in ("..", ".;", ". t", ".。"))


async def test_a_run_that_cannot_be_planned_keeps_why_as_a_sentence(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await team.desk.request(ANNA, wanted(remedy=a_remedy(releases=">=0.12")))

        detail = outcome.relaunch.detail
        assert detail.startswith("The fix ")
        assert detail.endswith("ask for a diagnosis with that release.")
