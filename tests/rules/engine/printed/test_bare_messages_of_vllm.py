"""A bare message is vLLM's when its releases raise it, and nobody else's words are taken for it."""

import shutil

import pytest
from packaging.version import Version

from rules.engine.cache_folder import CacheFolder
from rules.engine.paste.facts import Given
from rules.engine.printed.templates import Fit, key_of, read_template
from rules.engine.printed.texts import PrintedTexts, TextSource
from rules.engine.report import Status
from rules.engine.rule.catalogue import SHIPPED
from rules.engine.start import Options, start_engine
from rules.releases.shipped import load_releases

ROWS = [
    ("{} does not support {} backend now.", "RuntimeError", 0b0110),
    ("Head size {} is not supported by FlashAttention. Supported: {}.", "ValueError", 0b1100),
    ("Using {} backend for the attention of this model.", "log.info", 0b1111),
    ("{} is bad", "ValueError", 0b1111),
    ("Subclasses must implement this method soon.", "NotImplementedError", 0b1111),
]


@pytest.fixture(scope="module")
def texts():
    return PrintedTexts(TextSource(lambda: "x", lambda: ROWS))


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """Return an engine with a single rule that never fires here: what is looked up has none."""
    folder = tmp_path_factory.mktemp("catalogue")
    for kept in ("classes.yaml", "phrases", "other/engine-dead-wrapper"):
        source, target = SHIPPED / kept, folder / kept
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return start_engine(Options(catalogue=folder))


@pytest.mark.parametrize(
    ("name", "message", "releases"),
    [
        ("RuntimeError", "Qwen3-VL does not support _Backend.XFORMERS backend now.", (1, 2)),
        ("builtins.RuntimeError", "Q does not  support X backend now.", (1, 2)),
        ("", "Q does not support X backend now.", (1, 2)),
        ("ValueError", "Head size 88 is not supported by FlashAttention. Supported: [1, 2].", (2, 3)),
        ("", "Value error, Head size 8 is not supported by FlashAttention. Supported: 1. [type=x]", (2, 3)),
    ],
)
def test_a_message_names_the_releases_that_raise_it(texts, name, message, releases):
    found = texts.find(name, message)

    assert found is not None
    assert (found.releases, found.cut) == (releases, False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ValueError", "Q does not support X backend now."),
        ("RuntimeError", "Q does not support X"),
        ("ValueError", "this is bad"),
        ("NotImplementedError", "Subclasses must implement this method soon."),
        ("", "Using FLASH_ATTN backend for the attention of this model."),
        ("ValueError", ""),
    ],
)
def test_other_words_of_the_same_kind_are_nobody_s(texts, name, message):
    assert texts.find(name, message) is None


def test_a_message_cut_after_enough_words_is_known_as_cut(texts):
    found = texts.find("ValueError", "Head size 88 is not supported by FlashAttention. Supp")

    assert found is not None
    assert (found.releases, found.cut) == ((2, 3), True)


def test_a_template_with_few_words_of_its_own_is_not_compared():
    assert read_template("{}: expected {}, got {}", "ValueError", 1) is None


def test_the_key_of_a_template_lies_between_its_gaps():
    assert key_of(("a", "b cc dddd eee f")) == ("cc", "dddd")
    assert key_of(("a", "bb cc", "d")) is None


def test_a_text_fits_its_own_template():
    template = read_template("{} does not support {} backend now.", "RuntimeError", 1)

    assert template is not None
    assert template.fit("A does not support B backend now.") is Fit.WHOLE
    assert template.fit("A does support B backend now.") is Fit.NOT


def test_the_table_is_kept_and_read_back(tmp_path):
    asked = []

    def rows():
        asked.append(1)
        return ROWS

    for _ in range(2):
        kept = PrintedTexts(TextSource(lambda: "x", rows), CacheFolder(tmp_path / "cache"))
        assert kept.find("", "Q does not support X backend now.").releases == (1, 2)
    assert len(asked) == 1


def test_every_release_finds_its_own_text_among_all():
    releases = load_releases()
    texts = PrintedTexts(TextSource(releases.texts_key, releases.texts))
    # vllm/attention/backends/xformers.py of 0.6.3 to 0.6.6
    found = texts.find("ValueError", "XFormers does not support attention logits soft capping.")

    assert found is not None
    shipped = releases.versions()
    assert shipped[found.releases[0]] == Version("0.6.3")
    for place, version in enumerate(shipped):
        held = any(
            message.template.startswith("XFormers does not support attention logits soft capping")
            for message in releases.get(version).messages()
        )
        assert held == (place in found.releases), version


def test_a_bare_exception_that_vllm_raises_is_an_unknown_failure_of_those_releases(engine):
    report = engine.diagnose(
        "AssertionError: DCP requires attention impls to return the softmax lse for decode, "
        "but the impl FlashAttentionImpl does not return the softmax lse for decode."
    )

    assert report.status is Status.UNKNOWN
    assert report.root_cause is not None
    assert report.vllm_versions is not None


def test_a_known_release_is_not_narrowed_away_by_a_text_that_it_does_not_raise(engine):
    text = "ValueError: XFormers does not support attention logits soft capping."

    assert engine.diagnose(text, Given(vllm_version="0.20.0")).vllm_versions == "==0.20.0"


def test_a_bare_exception_of_another_program_gets_no_answer(engine):
    for text in ("ValueError: Expected a list of strings here", "RuntimeError: MyLib does not support foo"):
        assert engine.diagnose(text).status is Status.NOT_AN_INCIDENT
