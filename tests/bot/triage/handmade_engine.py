"""A small engine with one rule, so that what surrounds an engine is tested apart from it. Not a test."""

import os
import re

from rules.engine.paste.evidence import Note, NoteKind
from rules.engine.paste.facts import Facts
from rules.engine.report import (
    Ask,
    Change,
    Confidence,
    Diagnosis,
    FixKind,
    Proof,
    ProofKind,
    Remedy,
    Report,
    Risk,
    RootCause,
    RuledOut,
    Status,
)

_REFUSED = re.compile(r"(\S+) does not support AttentionBackendEnum\.(\w+) backend now")
_SECRET = re.compile(r"hf_[A-Za-z0-9]{8,}")
#: a paste with this text ends the process that reads it
DEADLY = "SIGKILL me"
#: a paste with this text is read for ever
ENDLESS = "read me for ever"


class HandmadeEngine:
    """Knows one failure, one wrapper and one healthy line."""

    def diagnose_text(self, text, given, language):
        if DEADLY in text:
            os.kill(os.getpid(), 9)
        while ENDLESS in text:
            pass
        tongue = language or ("zh" if re.search(r"[\u4e00-\u9fff]", text) else "en")
        release = given.vllm_version or _first(r"v(?:LLM API server )?version (\d[\w.]+)", text)
        gpu = given.gpu or _first(r"NVIDIA (\w+)", text)
        facts = Facts(vllm_version=release, gpu=gpu, model=given.model)
        return _report(text, facts, tongue)

    def diagnose_file(self, path, given, language):
        return self.diagnose_text(path.read_text(encoding="utf-8", errors="replace"), given, language)

    def mask(self, text):
        return _SECRET.subn("hf_***", text)


def handmade_engine():
    return HandmadeEngine()


def _first(pattern, text):
    found = re.search(pattern, text)
    return found[1] if found else None


def _line(text, needle):
    return next(number for number, line in enumerate(text.splitlines(), 1) if needle in line)


def _report(text, facts, language):
    refused = _REFUSED.search(text)
    if refused:
        number = _line(text, "does not support AttentionBackendEnum")
        return Report(
            status=Status.DIAGNOSED,
            language=language,
            facts=facts,
            vllm_versions=facts.vllm_version and f"=={facts.vllm_version}",
            root_cause=RootCause(number, text.splitlines()[number - 1][-200:], "Worker_TP0"),
            diagnoses=(a_refusal(refused[1], refused[2]),),
            ruled_out=(
                RuledOut("backend-variable-invalid", f"`{refused[2]}` is a name that this release knows"),
            ),
            ask=() if facts.gpu else (Ask("gpu", "The second fix needs 8.0 or more.", "nvidia-smi -L"),),
            notes=(Note(NoteKind.OUTSIDE_FACTS, "A note."),),
        )
    if "Engine core initialization failed" in text:
        return Report(
            status=Status.NEED_MORE,
            language=language,
            facts=facts,
            vllm_versions=None,
            root_cause=RootCause(
                _line(text, "Engine core initialization failed"), "RuntimeError: Engine core", None
            ),
            ask=(
                Ask("first-exception", "The wrapper hides what failed first.", "grep -n -B5 Error vllm.log"),
            ),
        )
    if "Traceback (most recent call last)" in text:
        root = RootCause(_line(text, "Traceback"), text.splitlines()[-1], None)
        return Report(Status.UNKNOWN, language, facts, None, root)
    return Report(Status.NOT_AN_INCIDENT, language, facts, None, None)


def a_refusal(model="Qwen3-VL", backend="FLASHINFER"):
    unset = Remedy(
        id="unset-variable",
        kind=FixKind.UNSET_ENV,
        summary="Remove `VLLM_ATTENTION_BACKEND` from the server's environment.",
        releases=">=0.11.1,<0.13",
        relaunchable=True,
        risk=Risk.LOW,
        change=Change(env_unset=("VLLM_ATTENTION_BACKEND",)),
        commands=("unset VLLM_ATTENTION_BACKEND", "vllm serve Qwen/Qwen3-VL-8B-Instruct"),
        verify=(
            Proof(ProofKind.LOG, "grep -F 'Using FLASH_ATTN' vllm.log", "one line that names FLASH_ATTN"),
        ),
    )
    upgrade = Remedy(
        id="upgrade",
        kind=FixKind.UPGRADE,
        summary="Upgrade to vLLM 0.13.0 or newer.",
        releases=">=0.11.1,<0.13",
        relaunchable=False,
        risk=Risk.PERFORMANCE,
        change=None,
        commands=("pip install -U 'vllm>=0.13.0'",),
        verify=(),
    )
    return Diagnosis(
        rule="vit-backend-rejected",
        failure_class="vit-backend-unsupported",
        family="attention-backend",
        confidence=Confidence.CERTAIN,
        title=f"The vision encoder of {model} refuses {backend}",
        cause=f"`VLLM_ATTENTION_BACKEND={backend}` reaches the vision encoder too, which cannot use it.",
        captures={"model": model, "backend": backend},
        fixes=(unset, upgrade),
        references=("https://github.com/vllm-project/vllm/issues/29595",),
        line=1,
    )
