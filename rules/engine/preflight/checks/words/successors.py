"""What took the place of flags that are gone. A test holds it against the facts. Not for misspelt flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.engine.preflight.faults import Edit
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.engine.preflight.reading.options import Problem
    from rules.releases.release import Release

#: what stands for the value that the old flag had
_SAME = "="


@dataclass(frozen=True, slots=True)
class Successor:
    """The flag that does today what an old one did."""

    flag: str
    #: value of the new flag; `=`: that of the old one; None: it means something else, so it must be chosen
    value: str | None = _SAME

    def edit(self, problem: Problem) -> Edit:
        """Return the fix that puts the new flag for the old one."""
        values = {"setting": self.flag, "removed": problem.spelled}
        value = self.value
        if value == _SAME:
            value = shown(self.flag, problem.values[0]) if len(problem.values) == 1 else None
        if value is None:
            return Edit("successor", FixKind.SET_FLAG, "fix.set-flag.flag-successor-choose", None, values)
        change = Change(flags_unset=(problem.spelled,), flags_set={self.flag: value})
        return Edit(
            "successor", FixKind.SET_FLAG, "fix.set-flag.flag-successor", change, {**values, "value": value}
        )


_S = Successor
#: old flag -> what does its work, the newest first; the first that the release has counts
SUCCESSORS: Mapping[str, tuple[Successor, ...]] = {
    "--cuda-graph-sizes": (_S("--cudagraph-capture-sizes", None),),
    "--disable-mm-preprocessor-cache": (_S("--mm-processor-cache-gb", "0"),),
    "--enable-multimodal-encoder-data-parallel": (_S("--mm-encoder-tp-mode", "data"),),
    "--eplb-log-balancedness": (_S("--eplb-config.log_balancedness", "true"),),
    "--eplb-step-interval": (_S("--eplb-config.step_interval"),),
    "--eplb-window-size": (_S("--eplb-config.window_size"),),
    "--num-redundant-experts": (_S("--eplb-config.num_redundant_experts"),),
    "--guided-decoding-backend": (_S("--structured-outputs-config.backend"),),
    "--guided-decoding-disable-additional-properties": (
        _S("--structured-outputs-config.disable_additional_properties", "true"),
    ),
    "--guided-decoding-disable-any-whitespace": (
        _S("--structured-outputs-config.disable_any_whitespace", "true"),
    ),
    "--logits-processor-pattern": (_S("--logits-processors", None),),
    "--max-context-len-to-capture": (
        _S("--max-cudagraph-capture-size", None),
        _S("--cuda-graph-sizes", None),
        _S("--max-seq-len-to-capture"),
    ),
    "--max-seq-len-to-capture": (_S("--max-cudagraph-capture-size", None), _S("--cuda-graph-sizes", None)),
    "--ngram-prompt-lookup-max": (_S("--speculative-config", None),),
    "--ngram-prompt-lookup-min": (_S("--speculative-config", None),),
    "--num-speculative-tokens": (_S("--speculative-config", None),),
    "--override-pooler-config": (_S("--pooler-config"),),
    "--rope-scaling": (_S("--hf-overrides", None),),
    "--rope-theta": (_S("--hf-overrides", None),),
    "--speculative-model": (_S("--speculative-config", None),),
    "--speculative-draft-tensor-parallel-size": (_S("--speculative-config", None),),
    "--speculative-max-model-len": (_S("--speculative-config", None),),
    "--task": (_S("--runner", None),),
    "--worker-use-ray": (_S("--distributed-executor-backend", "ray"),),
}


def successor(name: str, release: Release) -> Successor | None:
    """Return what does the work of a flag that is gone, None when nothing of the release does."""
    for one in SUCCESSORS.get(name, ()):
        found = release.flag(one.flag)
        if found is not None and not found.deprecated:
            return one
    return None
