"""What a soak measured, and how it reads. Not for measuring."""

from collections import Counter
from dataclasses import dataclass, field

#: seconds that both platforms give for an acknowledgement
ACK_LIMIT_S = 3.0


@dataclass
class Figures:
    """One soak on one platform."""

    platform: str
    store: str
    messages: int = 0
    incidents: int = 0
    redelivered: int = 0
    commands: int = 0
    #: how many answers each incident got
    answers: Counter[int] = field(default_factory=Counter)
    #: the same for commands
    replies: Counter[int] = field(default_factory=Counter)
    #: answers to what is no incident
    others: int = 0
    acks_s: list[float] = field(default_factory=list)
    #: deliveries whose acknowledgement never came, or came too late
    late_acks: int = 0
    given_up: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    memory_mib: list[int] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Every incident and command answered once, nothing else answered, no acknowledgement late."""
        return (
            set(self.answers) <= {1}
            and set(self.replies) <= {1}
            and self.others == 0
            and self.given_up == 0
            and self.late_acks == 0
            and max(self.acks_s, default=0.0) <= ACK_LIMIT_S
        )

    def __str__(self) -> str:
        shares = [f"p{share}: {_at(self.acks_s, share / 100):.3f} s" for share in (50, 99, 100)]
        counted = (
            f"incidents by answers: {_counted(self.answers)}; commands by answers: {_counted(self.replies)}"
        )
        faults = ", ".join(f"{count} x {name}" for name, count in sorted(self.faults.items()))
        memory = ", ".join(f"{size} MiB" for size in self.memory_mib)
        verdict = "sound" if self.is_sound else "NOT SOUND"
        return f"""\
{self.platform}, two processes on {self.store}: {verdict}, {self.seconds:.0f} s
  {self.messages} messages, {self.incidents} incidents, {self.redelivered} redelivered, {self.commands} commands
  {counted}; other answers: {self.others}
  acknowledgements: {len(self.acks_s)}, {", ".join(shares)}; late: {self.late_acks}, never: {self.given_up}
  faults: {faults or "none"}
  largest memory of the processes: {memory}"""


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def _counted(counts: Counter[int]) -> str:
    return ", ".join(f"{many} with {answers}" for answers, many in sorted(counts.items())) or "none"
