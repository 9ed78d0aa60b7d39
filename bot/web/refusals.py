"""Answers to requests that are not served, as a page or as JSON. Not for deciding that they are not."""

from __future__ import annotations

from enum import Enum
from html import escape
from http import HTTPStatus

from aiohttp import web

from bot.locale import say
from bot.web.language import language_of


class Refusal(Enum):
    """Why a request is not served: a code for programs and for the sentence, and a status."""

    UNKNOWN_HOST = ("unknown-host", HTTPStatus.MISDIRECTED_REQUEST)
    SIGN_IN = ("sign-in", HTTPStatus.UNAUTHORIZED)
    FOREIGN_ORIGIN = ("foreign-origin", HTTPStatus.FORBIDDEN)
    NO_FORM_WORD = ("no-form-word", HTTPStatus.FORBIDDEN)
    TOO_MANY = ("too-many", HTTPStatus.TOO_MANY_REQUESTS)
    NOT_FOUND = ("not-found", HTTPStatus.NOT_FOUND)
    LINK_USED = ("link-used", HTTPStatus.FORBIDDEN)

    def __init__(self, code: str, status: HTTPStatus) -> None:
        self.code = code
        self.status = status


def refuse(request: web.Request, refusal: Refusal) -> web.Response:
    """Return the answer: JSON below `/api/`, otherwise a page with one sentence in the reader's language."""
    if request.path.startswith("/api/"):
        return web.json_response({"error": refusal.code, "values": {}}, status=refusal.status)
    text = _page(refusal, language_of(request))
    return web.Response(text=text, status=refusal.status, content_type="text/html")


def _page(refusal: Refusal, language: str) -> str:
    title = escape(say(f"console.refusal.title.{refusal.code}", language))
    sentence = escape(say(f"console.refusal.{refusal.code}", language))
    # whoever is not known here would only be refused again
    back = f'<p><a href="/">{escape(say("console.refusal.back", language))}</a></p>'
    return (
        "<!doctype html>\n"
        f'<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/console.css"></head>'
        f'<body class="plain"><main class="notice"><p class="eyebrow">{refusal.status.value}</p>'
        f"<h1>{title}</h1><p>{sentence}</p>{back if refusal is Refusal.NOT_FOUND else ''}</main></body></html>\n"
    )
