"""The stand-in's command line: vLLM's words that matter here, and our own for faults. Not for carrying them out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

#: what a test or the demo can make go wrong; several are joined with commas
FAULTS = {
    "engine-dead": "/health says 200, every completion fails",
    "engine-hung": "/health says 200, no completion is ever answered",
    "wrong-model": "/v1/models names another model",
    "empty-completion": "a completion holds no text",
    "repeated-token": "a completion is one token over and over",
    "no-vision": "requests with an image fail",
    "ignores-term": "the polite signal is never heeded",
    "ignores-term-while-starting": "nor is it before the server serves, as with vLLM",
    "escapee": "one process leaves the session",
    "slow-drip": "an answer comes byte by byte and never ends",
    "redirects": "every answer sends the asker elsewhere",
    "huge-answer": "an answer has no end",
    "no-answer": "connections are accepted and nothing is said",
    "leaks": "a token is printed and sent back",
    "no-backend-line": "the log does not say which backend was chosen",
    "wrong-backend-line": "the log says that another backend was chosen",
    "quoted-backend-line": "the log names the right backend in a request that it quotes, and another one itself",
    "unknown-variable": "the log calls the backend's variable unknown",
    "old-failure": "the log holds the failure of FlashInfer, and the server serves all the same",
    "dead-engine-line": "the log says that the engine is dead, and the server serves all the same",
    "flood": "the log is longer than anybody reads",
    "other-environment": "the server replaces its environment by another",
    "child-serves": "the server has another one serve, whose environment is not the planned one",
    "two-models": "/v1/models names the model and another one, and completions are the other one's",
    "nameless-completion": "a completion does not say which model it is of",
    "echo": "a completion is the prompt once more",
    "sane-then-noise": "a completion is one word, and then one token over and over",
    "aborted": "a completion says that it was cut short by a fault",
    "error-beside": "a completion comes with an error",
    "wrong-types": "a completion's parts are of other types than they should be",
    "not-a-number": "a completion holds NaN, which is no JSON",
    "page-for-completion": "a completion is sent as a web page",
    "redirected-completion": "a completion is to be had elsewhere",
    "cut-completion": "the connection ends before a completion's end",
    "endless-completion": "a completion has no end",
    "late-completion": "a completion is begun and goes on byte by byte",
    "endless-health": "/health says 200 and goes on for ever",
}


class OptionError(ValueError):
    """The command line holds what the stand-in does not know of its own options."""


@dataclass(frozen=True)
class Options:
    """What the stand-in was asked to be."""

    model: str
    served_name: str
    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str | None = None
    #: of the certificate that it shows, with its key; None: it speaks no TLS
    certificate: str | None = None
    key: str | None = None
    #: authorities, one of which has to have signed what a client shows
    client_authorities: str | None = None
    #: the rest of vLLM's flags, as given
    flags: dict[str, str] = field(default_factory=dict)
    faults: frozenset[str] = frozenset()
    #: between two stages of a start
    delay_seconds: float = 0.0
    #: ends this long after it serves; None: never
    dies_after_seconds: float | None = None
    #: between the end of the engine and the server's own
    engine_death_seconds: float = 0.2
    #: gets a line for each start
    ledger: str | None = None

    @property
    def tells_the_truth(self) -> Options:
        """Return the same without faults."""
        return replace(self, faults=frozenset(), dies_after_seconds=None)


def parse(argv: list[str], env: dict[str, str]) -> Options:
    """Read a command line as vLLM would be given it."""
    words = argv[1:] if argv[:1] == ["serve"] else list(argv)
    bare, flags = _split(words)
    model = flags.pop("--model", None) or (bare[0] if bare else "Qwen/Qwen3-VL-8B-Instruct")
    own = {name: flags.pop(name) for name in list(flags) if name.startswith("--standin-")}
    faults = frozenset(filter(None, own.pop("--standin-faults", "").split(",")))
    if faults - set(FAULTS):
        raise OptionError(
            f"no such fault: {min(faults - set(FAULTS))}; there are {', '.join(sorted(FAULTS))}"
        )
    dies_after = own.pop("--standin-dies-after", None)
    honest_with = own.pop("--standin-honest-with", None)
    options = Options(
        model=model,
        served_name=flags.get("--served-model-name", model),
        host=flags.get("--host", "127.0.0.1"),
        port=int(flags.get("--port", "8000")),
        api_key=flags.get("--api-key") or env.get("VLLM_API_KEY"),
        certificate=flags.get("--ssl-certfile"),
        key=flags.get("--ssl-keyfile"),
        client_authorities=flags.get("--ssl-ca-certs"),
        flags=flags,
        faults=faults,
        delay_seconds=float(own.pop("--standin-delay", "0")),
        dies_after_seconds=None if dies_after is None else float(dies_after),
        engine_death_seconds=float(own.pop("--standin-engine-death", "0.2")),
        ledger=own.pop("--standin-ledger", None),
    )
    if own:
        raise OptionError(f"the stand-in knows no option {min(own)}")
    # so that of two launches one can be sound and the other not
    return options.tells_the_truth if honest_with is not None and env.get(honest_with) else options


def _split(words: list[str]) -> tuple[list[str], dict[str, str]]:
    bare: list[str] = []
    flags: dict[str, str] = {}
    name = None
    for word in words:
        if word.startswith("--"):
            head, joined, value = word.partition("=")
            head = head.replace("_", "-")
            flags[head] = value
            name = None if joined else head
        elif name is not None:
            flags[name] = f"{flags[name]} {word}".strip()
        else:
            bare.append(word)
    return bare, flags
