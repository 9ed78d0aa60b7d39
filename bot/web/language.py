"""In which language a request is answered. Not for the sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.locale import LANGUAGES, supported

if TYPE_CHECKING:
    from aiohttp import web

COOKIE = "vllm_diagnose_language"


def language_of(request: web.Request) -> str:
    """Return the reader's language: chosen on the page, kept from before, or the browser's first."""
    chosen = request.query.get("lang") or request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    return supported(request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip())
