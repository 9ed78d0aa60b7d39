"""Answers a question in words with a card, inside a worker process. Not for when to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.asking.asked import Asked
from bot.asking.cards.help import help_card, need_card
from bot.asking.cards.matrix import matrix_card
from bot.asking.requests import BackendsRequest, CheckRequest, HelpRequest, read_request
from bot.backends.releases import NoFactsError, release_of
from bot.locale import say
from bot.triage.showing.fitting import fit
from rules.engine.backend_matrix.matrix import Asked as Matrix
from rules.engine.backend_matrix.matrix import build_matrix
from rules.engine.backend_matrix.models import read_model
from rules.engine.backend_matrix.question import AUTO
from rules.engine.gpus import read_gpu
from rules.releases.shipped import load_releases

if TYPE_CHECKING:
    from adapters.chat.interface import Card
    from bot.asking.asked import Worded
    from rules.releases.release import Release


def answer_words(words: Worded) -> Card | None:
    """Return the answer to words; None when they ask nothing and are to be diagnosed."""
    request = read_request(words.text)
    if request is None:
        return None
    return tell(Asked(request, words.limits, words.language, words.known))


def tell(asked: Asked) -> Card:
    """Return the card, fitted to the platform."""
    return fit(_card(asked), asked.limits)


def _card(asked: Asked) -> Card:
    match asked.request:
        case HelpRequest():
            return help_card(asked.language)
        case BackendsRequest():
            return _backends(asked.request, asked)
        case CheckRequest():
            # reading a launch and the rules for its fixes is needed here only
            from bot.asking.checking import check_card  # noqa: PLC0415

            return check_card(asked.request, asked)


def _backends(request: BackendsRequest, asked: Asked) -> Card:
    language = request.language or asked.language
    version = request.version or asked.known.version
    if version is None:
        return need_card("backends", say("asking.need.release", language), language)
    try:
        release = release_of(version, load_releases())
    except NoFactsError as error:
        near = ", ".join(error.near) or "0.12.0"
        problem = say("asking.need.other-release", language, version=error.text, near=near)
        return need_card("backends", problem, language)
    dtype = request.kv_cache_dtype or AUTO
    choices = _kv_choices(release)
    if choices and dtype not in choices:
        values = {"version": str(release.version), "value": dtype, "choices": ", ".join(choices)}
        return need_card("backends", say("asking.need.kv-cache-dtype", language, **values), language)
    gpu = request.gpu or asked.known.gpu
    name = request.model or asked.known.model
    return matrix_card(
        build_matrix(
            Matrix(
                release=release,
                gpu=gpu if gpu is None or read_gpu(gpu) is not None or request.gpu else None,
                model_name=name,
                model=read_model(name) if name else None,
                kv_cache_dtype=dtype,
                block_size=request.block_size,
            )
        ),
        language,
    )


def _kv_choices(release: Release) -> tuple[str, ...] | None:
    flag = release.flag("--kv-cache-dtype")
    return flag.choices if flag is not None else None
