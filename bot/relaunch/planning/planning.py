"""Makes a plan from a remedy and what the host says. Pure. Not for asking the host or anybody's approval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from adapters.hosts.records import LaunchChange
from bot.relaunch.planning.difference import difference
from bot.relaunch.planning.plan import Check, Plan, Promises, Source, Timeouts
from bot.relaunch.planning.settable import ChangeRefusedError, check_change
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.hosts.records import Launch, Preflight, Snapshot
    from rules.engine.report import Remedy
    from rules.releases.release import Release

_LEVELS_WITH_INFO: Final = frozenset({"INFO", "DEBUG"})
#: what a run does, in order
STEPS: Final = ("lock", "check", "stop", "free", "launch", "start", "healthy", "verify", "commit")


class NotPlannableError(Exception):
    """No plan can be made; says why and what to do."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(f"{what}: {next_step}")
        self.what = what
        self.next_step = next_step


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants done."""

    #: of the relaunch
    id: str
    nonce: str
    remedy: Remedy
    incident: str
    fingerprint: str
    rule: str
    rule_version: int
    #: the change concerns the encoder for images
    is_vision: bool
    is_forced: bool
    made_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """What the host said."""

    host: str
    snapshot: Snapshot
    preflight: Preflight
    #: /health answered 200
    is_serving: bool
    vllm_version: str | None
    #: facts of that release; None where they are not shipped
    release: Release | None
    #: the name that its API serves the model under
    model: str
    #: seconds that a start usually takes
    usual_start: float
    #: an image is asked about whatever was changed
    always_image: bool = False
    #: it is known which GPU it runs on: what a log promises depends on that, and elsewhere nothing is promised
    has_gpu: bool = True


def change_of(remedy: Remedy, release: Release | None = None) -> LaunchChange:
    """Return what a remedy changes. Raises `NotPlannableError`."""
    is_restart = remedy.kind is FixKind.RESTART
    if not remedy.relaunchable or (remedy.change is None and not is_restart):
        raise NotPlannableError(
            f"a relaunch cannot carry out the fix {remedy.id}", "follow its commands on the host"
        )
    change = remedy.change or Change()
    launch_change = LaunchChange(
        change.env_unset, dict(change.env_set), dict(change.flags_set), change.flags_unset
    )
    try:
        check_change(launch_change, release)
    except ChangeRefusedError as error:
        raise NotPlannableError(error.what, error.next_step) from error
    return launch_change


def make_plan(asked: Asked, found: Found, timeouts: Timeouts) -> Plan:
    """Return the plan. Raises `NotPlannableError`."""
    remedy = asked.remedy
    _check_release(remedy, found.vllm_version)
    change = change_of(remedy, found.release)
    before, after = found.preflight.before, found.preflight.after
    _check_host(asked, found)
    promises = Promises(
        tuple(proof.lines for proof in remedy.verify if proof.lines)
        if found.has_gpu and _logs_lines(after)
        else (),
        tuple(text for proof in remedy.verify for text in proof.absent),
    )
    return Plan(
        id=asked.id,
        host=found.host,
        server=found.snapshot.server,
        driver=found.snapshot.driver,
        vllm_version=found.vllm_version,
        before=before,
        after=after,
        change=change,
        diff=difference(before, after),
        steps=STEPS,
        timeouts=timeouts,
        checks=_checks(asked, change, promises, always_image=found.always_image),
        promises=promises,
        model=found.model,
        was_serving=found.is_serving,
        is_forced=asked.is_forced,
        source=Source(
            asked.incident, asked.fingerprint, asked.rule, asked.rule_version, remedy.id, remedy.risk.value
        ),
        expected_minutes=max(1, round(found.usual_start / 60)),
        made_at=asked.made_at,
        expires_at=asked.expires_at,
        nonce=asked.nonce,
    )


def _logs_lines(launch: Launch) -> bool:
    """Tell whether a launch lets vLLM log what releases promise: lines of the level INFO, in its own form."""
    env = launch.env
    is_own = env.get("VLLM_CONFIGURE_LOGGING", "1") != "0" and not env.get("VLLM_LOGGING_CONFIG_PATH")
    return is_own and env.get("VLLM_LOGGING_LEVEL", "INFO").upper() in _LEVELS_WITH_INFO


def _check_release(remedy: Remedy, version: str | None) -> None:
    """Refuse a fix that was resolved for other releases than the one on the host."""
    if not remedy.releases:
        return
    if version is None:
        raise NotPlannableError(
            "the host does not say which vLLM the server runs", "name the release in the registry of hosts"
        )
    try:
        is_meant = SpecifierSet(remedy.releases).contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion) as error:
        raise NotPlannableError(f"{error}", "name the release in the registry of hosts") from error
    if not is_meant:
        raise NotPlannableError(
            f"the fix {remedy.id} is for vLLM {remedy.releases}, and the host has {version}",
            "ask for a diagnosis with that release",
        )


def _check_host(asked: Asked, found: Found) -> None:
    unsound = [check for check in found.preflight.checks if not check.is_sound]
    if unsound:
        what = "; ".join(f"{check.name}: {check.detail}" for check in unsound)
        raise NotPlannableError(f"the host could not do it ({what})", "mend that on the host and ask again")
    if found.preflight.before.spec_hash != found.snapshot.launch.spec_hash:
        raise NotPlannableError("the launch changed while it was looked at", "ask again")
    changes_nothing = found.preflight.after.spec_hash == found.preflight.before.spec_hash
    if changes_nothing and asked.remedy.kind is not FixKind.RESTART:
        raise NotPlannableError(
            "the registered launch has this change already", "look at its log for another cause"
        )


def _checks(
    asked: Asked, change: LaunchChange, promises: Promises, *, always_image: bool
) -> tuple[Check, ...]:
    """Return all that applies."""
    checks = [Check.PROCESS]
    if promises.lines or promises.absent:
        checks.append(Check.LOG_LINE)
    if change.env_set:
        checks.append(Check.NO_UNKNOWN_VARIABLE)
    checks += [Check.NOT_THE_OLD_FAILURE, Check.HEALTH, Check.MODELS, Check.TEXT]
    if asked.is_vision or always_image:
        checks.append(Check.IMAGE)
    return (*checks, Check.SOAK)
