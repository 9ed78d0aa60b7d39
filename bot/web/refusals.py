"""Answers to requests that are not served, as a page or as JSON. Not for deciding that they are not."""

from __future__ import annotations

from enum import Enum
from html import escape
from http import HTTPStatus

from aiohttp import web


class Refusal(Enum):
    """Why a request is not served: a code for programs, a status, a sentence for people."""

    UNKNOWN_HOST = (
        "unknown-host",
        HTTPStatus.MISDIRECTED_REQUEST,
        "This server does not go by that name. Use the address that it printed at start.",
    )
    SIGN_IN = (
        "sign-in",
        HTTPStatus.UNAUTHORIZED,
        "Sign in first: run vllm-diagnose login on the machine of the bot and open the link it prints.",
    )
    FOREIGN_ORIGIN = (
        "foreign-origin",
        HTTPStatus.FORBIDDEN,
        "The request does not come from a page of this server.",
    )
    NO_FORM_WORD = (
        "no-form-word",
        HTTPStatus.FORBIDDEN,
        "The page is out of date: load it again.",
    )
    TOO_MANY = (
        "too-many",
        HTTPStatus.TOO_MANY_REQUESTS,
        "That was too much at once: wait a moment and try again.",
    )
    NOT_FOUND = ("not-found", HTTPStatus.NOT_FOUND, "There is no such page.")
    LINK_USED = (
        "link-used",
        HTTPStatus.FORBIDDEN,
        "This link was used before, or it has expired: run vllm-diagnose login for a new one.",
    )

    def __init__(self, code: str, status: HTTPStatus, sentence: str) -> None:
        self.code = code
        self.status = status
        self.sentence = sentence


def refuse(request: web.Request, refusal: Refusal) -> web.Response:
    """Return the answer: JSON below `/api/`, otherwise a page with one sentence."""
    if request.path.startswith("/api/"):
        return web.json_response({"error": refusal.code, "values": {}}, status=refusal.status)
    return web.Response(text=_page(refusal), status=refusal.status, content_type="text/html")


def _page(refusal: Refusal) -> str:
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(refusal.status.phrase)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/console.css"></head>'
        f'<body class="plain"><main class="notice"><p class="eyebrow">{refusal.status.value}</p>'
        f"<h1>{escape(refusal.status.phrase)}</h1><p>{escape(refusal.sentence)}</p></main></body></html>\n"
    )
