"""Lengths and batches that do not go together: context, tokens of a batch, sequences. Not for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.preflight.faults import Fault
from rules.engine.preflight.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

LENGTH = "--max-model-len"
TOKENS = "--max-num-batched-tokens"
SEQUENCES = "--max-num-seqs"
_CLASS = "max-len-config-conflict"
#: what changes the model's own length, so that it is not known
_OVERRIDES = ("--hf-overrides", "--rope-scaling", "--rope-theta", "--hf-config-path")
_ALLOWED = "VLLM_ALLOW_LONG_MAX_MODEL_LEN"


def check(case: Case) -> Iterator[Fault]:
    """Yield lengths that exclude each other."""
    length, tokens, sequences = case.number(LENGTH), case.number(TOKENS), case.number(SEQUENCES)
    longest = None if any(case.parsed.option(flag) for flag in _OVERRIDES) else case.shape.longest
    if length is not None and longest is not None and length > longest and not _may_be_longer(case):
        yield _beyond(length, longest)
    if tokens is None:
        return
    # what the server takes where nothing is said; longer ones the configuration alone may cut
    wanted = length if length is not None and length > 0 else None
    if wanted is not None and tokens < wanted and case.parsed.is_on("--enable-chunked-prefill") is False:
        yield _below(TOKENS, "batch-below-context", tokens, wanted, "is smaller than max_model_len")
    if sequences is not None and 0 < tokens < sequences:
        said = "must be greater than or equal to max_num_seqs"
        yield _below(SEQUENCES, "batch-below-sequences", tokens, sequences, said)


def _may_be_longer(case: Case) -> bool:
    return case.env(_ALLOWED) not in {None, "", "0"}


def _beyond(length: int, longest: int) -> Fault:
    return Fault(
        "context-beyond-model",
        _CLASS,
        Severity.BLOCKS_START,
        "context-beyond-model",
        LENGTH,
        {"length": str(length), "longest": str(longest)},
        printed=(
            f"ValueError: User-specified max_model_len ({length}) is greater than the derived max_model_len "
            f"(max_position_embeddings={longest} or model_max_length=None in model's config.json)."
        ),
    )


def _below(subject: str, phrase: str, tokens: int, wanted: int, said: str) -> Fault:
    return Fault(
        "batch-below-context",
        _CLASS,
        Severity.BLOCKS_START,
        phrase,
        subject,
        {"tokens": str(tokens), "wanted": str(wanted)},
        printed=f"ValueError: max_num_batched_tokens ({tokens}) {said} ({wanted}).",
    )
