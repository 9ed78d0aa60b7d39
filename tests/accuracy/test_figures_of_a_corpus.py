"""The program that counts right answers: what it reads, how it judges, which sums it prints."""

import io
import json

import pytest

from rules.engine.start import start_engine
from tests.accuracy.__main__ import main
from tests.accuracy.cases import Right, UnusableCorpusError, read_corpus
from tests.accuracy.figures import supported_by_one_thread, totals
from tests.accuracy.judging import Outcome, judge
from tests.accuracy.table import show

REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
WRAPPED = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"


def _row(number: int, **fields: object) -> dict[str, object]:
    row = {
        "id": f"T{number}",
        "url": f"https://example.org/threads/{number}",
        "vllm_version": "0.11.2",
        "gpu": "H100",
        "error_lines": [REFUSED],
        "symptom_class": "vit-backend-unsupported",
        "accepts": [],
        "expected_status": "diagnosed",
        "fix_groups": ["settings"],
        "fix_confidence": "confirmed-in-thread",
    }
    return {**row, **fields}


def _write(path, *rows: dict[str, object]):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def engine():
    return start_engine()


@pytest.fixture
def judged_of(tmp_path, engine):
    """Return the judged cases of some rows, written as a corpus of one file."""

    def judged(*rows):
        cases = read_corpus(_write(tmp_path / "some.jsonl", *rows))
        return [judge(case, engine.diagnose(case.paste, case.given)) for case in cases]

    return judged


def _sums(judged) -> dict[str, tuple[int, int]]:
    return {total.what: (total.right, total.cases) for total in totals(judged)}


def test_a_diagnosis_of_the_class_or_of_an_accepted_one_is_right(judged_of):
    outcomes = [
        one.outcome
        for one in judged_of(
            _row(1), _row(2, symptom_class="no-kernel-image", accepts=["vit-backend-unsupported"])
        )
    ]

    assert outcomes == [Outcome.RIGHT, Outcome.RIGHT]


def test_a_certain_diagnosis_of_another_class_is_counted_twice(judged_of):
    judged = judged_of(_row(1, symptom_class="no-kernel-image"))

    assert judged[0].outcome is Outcome.WRONG
    assert _sums(judged)["wrong of those called certain"] == (1, 1)


def test_a_question_is_right_where_the_deciding_line_is_missing_and_an_abstention_elsewhere(judged_of):
    judged = judged_of(
        _row(1, error_lines=[WRAPPED], expected_status="need-more"), _row(2, error_lines=[WRAPPED])
    )

    assert [one.outcome for one in judged] == [Outcome.RIGHT, Outcome.ABSTAINED]
    assert _sums(judged)["need-more or possible"] == (1, 1)


def test_a_certain_answer_to_a_paste_that_decides_nothing_is_wrong(judged_of):
    (judged,) = judged_of(_row(1, expected_status="need-more"))

    assert judged.outcome is Outcome.WRONG
    assert judged.wrong_certain


def test_only_confirmed_fixes_are_a_yardstick(judged_of):
    judged = judged_of(
        _row(1),
        _row(2, fix_groups=["packages"]),
        _row(3, fix_groups=["packages"], fix_confidence="inferred"),
    )

    assert [one.fix_right for one in judged] == [True, False, None]


def test_negative_rows_must_be_quiet_and_open_ones_must_not_name_the_attention_family(judged_of):
    talk = {
        "id": "N1",
        "url": "u1",
        "text_lines": ["is FLASHINFER faster?"],
        "expected_status": "not-an-incident",
    }
    loud = {"id": "N2", "url": "u2", "text_lines": [REFUSED], "expected_status": "not-an-incident"}
    open_row = {"id": "N3", "url": "u3", "text_lines": [REFUSED], "expected_status": "open"}

    judged = judged_of(talk, loud, open_row)

    assert [one.outcome for one in judged] == [Outcome.RIGHT, Outcome.WRONG, Outcome.WRONG]
    assert _sums(judged)["negative, quiet"] == (1, 2)
    assert _sums(judged)["negative, open"] == (0, 1)


def test_a_folder_is_read_with_its_live_runs_whose_root_cause_is_compared_by_line(tmp_path, engine):
    _write(tmp_path / "backend.jsonl", _row(1))
    log = tmp_path / "live" / "0.11.2" / "run.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"INFO 11-28 07:55:57 [core.py:93] starting\n{REFUSED}\n", encoding="utf-8")
    run = {
        "version": "0.11.2",
        "log": "0.11.2/run.log",
        "expected_status": "diagnosed",
        "expected_class": None,
    }
    _write(
        tmp_path / "live" / "index.jsonl",
        {**run, "root_cause_line_no": 2, "root_cause_text": REFUSED},
        {**run, "root_cause_line_no": 1, "root_cause_text": "ValueError: something else"},
        {**run, "root_cause_line_no": None, "root_cause_text": None},
    )

    cases = read_corpus(tmp_path)
    judged = [judge(case, engine.diagnose(case.paste, case.given)) for case in cases]

    assert [case.right for case in cases] == [Right.CLASS, Right.LINE, Right.LINE]
    assert [one.line_right for one in judged] == [None, True, False]


def test_rules_of_one_thread_are_named_for_reading_and_others_are_not(judged_of):
    alone = judged_of(_row(1), _row(2, url="https://example.org/threads/1"))
    twice = judged_of(_row(1), _row(2))

    assert supported_by_one_thread(alone) == {"vit-backend-rejected": "T1"}
    assert supported_by_one_thread(twice) == {}


def test_the_table_counts_each_class_and_names_each_miss(judged_of):
    shown = io.StringIO()

    show(judged_of(_row(1), _row(2, error_lines=["all is well"])), shown)

    table = shown.getvalue().splitlines()
    counts = next(line.split() for line in table if line.startswith("vit-backend-unsupported"))
    assert counts[1:] == ["2", "1", "-", "1", "-"]
    assert any(line.startswith("  T2  abstained") for line in table)


def test_figures_however_bad_end_with_0(tmp_path, capsys):
    code = main([str(_write(tmp_path / "bad.jsonl", _row(1, symptom_class="no-kernel-image")))])

    assert code == 0
    assert "0/1 (0.0 %)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not json\n",
        "[1]\n",
        '{"id": "T1"}\n',
        '{"id": "T1", "error_lines": "a word"}\n',
        '{"log": "gone.log"}\n',
    ],
)
def test_a_corpus_that_cannot_be_used_is_said_in_one_sentence_with_65(tmp_path, capsys, content):
    path = tmp_path / "broken.jsonl"
    path.write_text(content, encoding="utf-8")

    assert main([str(path)]) == 65
    said = capsys.readouterr().err
    assert "broken.jsonl" in said or "gone.log" in said
    assert said.count("\n") == 1


def test_a_missing_corpus_is_unusable_and_no_corpus_is_wrong_usage(tmp_path, capsys):
    assert main([str(tmp_path / "nowhere")]) == 65
    assert [main([]), main([""])] == [64, 64]
    assert capsys.readouterr().err.count("\n") == 3


def test_an_empty_folder_holds_no_case(tmp_path):
    with pytest.raises(UnusableCorpusError, match="holds no case"):
        read_corpus(tmp_path)
