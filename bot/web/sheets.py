"""Makes pages of templates, and what their scripts are told. Not which page answers which request."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bot.locale import LANGUAGES, say, sentences
from bot.web.guard import CSRF, PERSON
from bot.web.language import COOKIE as LANGUAGE_COOKIE
from bot.web.language import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.web.parts import Parts

_TEMPLATES = Path(__file__).parent / "templates"
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")
_LANGUAGE_DAYS = 365


@dataclass(frozen=True)
class Sheets:
    """All templates."""

    parts: Parts

    @cached_property
    def _templates(self) -> Environment:
        return Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def boot(self, request: web.Request) -> dict[str, Any]:
        """Return what the scripts of a page need to know."""
        person = request[PERSON]
        language = language_of(request)
        parts = self.parts
        return {
            "csrf": request[CSRF],
            "person": {"id": person.id, "name": person.name},
            "channels": list(parts.channels),
            "limits": {
                "text": parts.text_limit_bytes,
                "file": parts.file_limit_bytes,
                "files": parts.files_limit,
            },
            "language": language,
            "sample": parts.sample,
            "words": {key: text for key, text in sentences(language).items() if key.startswith("console.")},
        }

    def page(self, request: web.Request, name: str, values: Mapping[str, Any]) -> web.Response:
        """Return a page in the reader's language."""
        language = language_of(request)
        person = request.get(PERSON)
        other = next(one for one in LANGUAGES if one != language)
        html = self._templates.get_template(name).render(
            say=lambda key, **words: say(key, language, **words),
            json_of=_json_for_html,
            open_places=_open_places,
            language=language,
            other_language=other,
            path=request.path,
            person=person,
            needs_sign_in=self.parts.needs_sign_in,
            has_hosts=self.parts.relaunching is not None,
            **values,
        )
        response = web.Response(text=html, content_type="text/html")
        if "lang" in request.query:
            response.set_cookie(
                LANGUAGE_COOKIE, language, max_age=_LANGUAGE_DAYS * 86_400, samesite="Lax", path="/"
            )
        return response


def _open_places(text: str) -> str:
    """Return the text of a rule with its placeholders as readers take them: `{model}` as `‹model›`."""
    return _PLACEHOLDER.sub(r"‹\1›", text)


def _json_for_html(value: object) -> str:
    """Return JSON that can stand in a data block of a page: nothing in it can end the block."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
