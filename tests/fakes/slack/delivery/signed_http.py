"""Signed HTTP delivery: v0 signatures, retry headers, `url_verification`, `app_rate_limited`."""

import asyncio
import hashlib
import hmac
import json
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from tests.fakes.slack.delivery.dispatcher import Attempt, Delivery, Outcome
from tests.fakes.slack.records import Payload, SlackSettings

#: Slack's names for why it tries again
_TIMEOUT, _ERROR, _UNREACHABLE = "http_timeout", "http_error", "connection_failed"


@dataclass
class Signer:
    """Makes the two signature headers. `age_s` pretends that the request was made earlier."""

    secret: str
    age_s: float = 0.0

    def headers(self, body: str) -> dict[str, str]:
        stamp = str(int(time.time() - self.age_s))
        digest = hmac.new(self.secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


class SignedHttp:
    """Posts to the app's one request URL; several processes take turns behind it. `url`: whose turn it is.

    So many of the next acknowledgements of first attempts get lost on their way: `lost_answers`.
    """

    def __init__(self, settings: SlackSettings, secret: str) -> None:
        self.signer = Signer(secret)
        self.lost_answers = 0
        self._urls: deque[str] = deque()
        self._settings = settings
        self._listening = asyncio.Event()
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str | None:
        return self._urls[0] if self._urls else None

    def open(self, url: str) -> None:
        """The app listens at `url` from now on."""
        self._urls.clear()
        self.share(url)

    def share(self, url: str) -> None:
        """One more process listens, behind the same balancer."""
        self._urls.append(url)
        self._listening.set()

    def away(self) -> None:
        """The app is being restarted: hold what comes instead of burning the retries."""
        self._listening.clear()

    async def carry(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Post once, as JSON for events and as a form for the rest."""
        await self._listening.wait()
        body, content_type = _encoded(delivery)
        headers = {"Content-Type": content_type}
        if attempt.number:
            headers |= {"X-Slack-Retry-Num": str(attempt.number), "X-Slack-Retry-Reason": attempt.reason}
        attempt.sent_at = asyncio.get_running_loop().time()
        try:
            status, answer, reply_headers = await self.post(body, headers)
        except TimeoutError:
            return Outcome(acked=False, reason=_TIMEOUT)
        except aiohttp.ClientError:
            return Outcome(acked=False, reason=_UNREACHABLE)
        if self.lost_answers and not attempt.number and delivery.kind == "events_api":
            self.lost_answers -= 1
            return Outcome(acked=False, reason=_UNREACHABLE)
        if not 200 <= status < 300:
            return Outcome(acked=False, reason=_ERROR, may_retry=reply_headers.get("X-Slack-No-Retry") != "1")
        return Outcome(acked=True, response=_response(answer, reply_headers))

    async def post(
        self, body: str, headers: dict[str, str], signer: Signer | None = None
    ) -> tuple[int, str, dict[str, str]]:
        """Sign and send any body: for deliveries, and for tests of bad signatures."""
        assert self.url, "the app has not said where it listens"
        url = self.url
        self._urls.rotate(-1)
        session = self._session = self._session or aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0)
        )
        headers = {**headers, **(signer or self.signer).headers(body)}
        timeout = aiohttp.ClientTimeout(total=self._settings.ack_timeout_s)
        async with session.post(url, data=body.encode(), headers=headers, timeout=timeout) as response:
            return response.status, await response.text(), dict(response.headers)

    async def verify_url(self) -> bool:
        """The handshake when the URL is entered: the app must echo the challenge."""
        challenge = {"type": "url_verification", "challenge": "a-challenge", "token": "verification-token"}
        status, answer, _ = await self.post(json.dumps(challenge), {"Content-Type": "application/json"})
        return status == 200 and "a-challenge" in answer

    async def close(self) -> None:
        """Close the client session."""
        if self._session:
            await self._session.close()


def _encoded(delivery: Delivery) -> tuple[str, str]:
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload), "application/json"
    fields = (
        delivery.payload if delivery.kind == "slash_commands" else {"payload": json.dumps(delivery.payload)}
    )
    return urlencode(fields), "application/x-www-form-urlencoded"


def _response(answer: str, headers: dict[str, str]) -> Payload | None:
    if not answer:
        return None
    if headers.get("Content-Type", "").startswith("application/json"):
        payload: Payload = json.loads(answer)
        return payload
    return {"text": answer}
