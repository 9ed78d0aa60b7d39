"""Figures that Prometheus collects: how much, how fast, how often it failed. Never what was said.

Labels are names of platforms, of kinds and of statuses, so that there are few series whatever people paste.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX = "vllm_diagnose"
#: seconds; platforms want their acknowledgement within three
_ACK_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0)
_ANSWER_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Figures:
    """All figures of one bot."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        name = _PREFIX
        self._events = Counter(
            "events",
            "Events by what became of them.",
            ("platform", "result"),
            namespace=name,
            registry=registry,
        )
        self._kept = Histogram(
            "acknowledgement_seconds",
            "Time until an event is kept and may be acknowledged.",
            ("platform",),
            namespace=name,
            buckets=_ACK_BUCKETS,
            registry=registry,
        )
        self._answers = Counter(
            "answers", "Answers that were shown.", ("platform", "status"), namespace=name, registry=registry
        )
        self._took = Histogram(
            "answer_seconds",
            "Time from keeping an event to its answer.",
            ("platform",),
            namespace=name,
            buckets=_ANSWER_BUCKETS,
            registry=registry,
        )
        self._quiet = Counter(
            "abstentions", "Messages rightly left alone.", ("platform",), namespace=name, registry=registry
        )
        self._errors = Counter(
            "errors",
            "Tries that failed, by the error.",
            ("platform", "error"),
            namespace=name,
            registry=registry,
        )
        self._waiting = Gauge("inbox_waiting", "Events without an answer.", namespace=name, registry=registry)
        self._connected = Gauge(
            "platform_connected", "1: events can arrive.", ("platform",), namespace=name, registry=registry
        )

    def heard(self, platform: str, result: str, seconds: float) -> None:
        """Count an event by what became of it: `kept`, `known`, `not-ours` or `failed`."""
        self._events.labels(platform, result).inc()
        self._kept.labels(platform).observe(seconds)

    def answered(self, platform: str, status: str, seconds: float) -> None:
        """Count an answer, and how long whoever waits for it has waited."""
        self._answers.labels(platform, status).inc()
        self._took.labels(platform).observe(max(0.0, seconds))

    def kept_quiet(self, platform: str) -> None:
        """Count a message that needs no answer."""
        self._quiet.labels(platform).inc()

    def failed(self, platform: str, error: Exception) -> None:
        """Count a try that failed."""
        self._errors.labels(platform, type(error).__name__).inc()

    def page(self, waiting: int, connected: Mapping[str, bool]) -> bytes:
        """Return everything as Prometheus reads it."""
        self._waiting.set(waiting)
        for platform, is_connected in connected.items():
            self._connected.labels(platform).set(int(is_connected))
        return generate_latest(self._registry)
