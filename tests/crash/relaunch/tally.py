"""What came of one disturbance, as a row of the table. Not tests."""

from dataclasses import dataclass, field

HEAD = (
    f"{'driver':9} {'disturbance':12} {'moment':15} {'tries':>5}"
    f"{'double':>8}{'lost':>8}{'wrong':>8}{'unsaid':>8}{'seconds':>9}"
)


@dataclass
class Tally:
    """Counts of some tries."""

    driver: str
    disturbance: str
    moment: str
    tries: int = 0
    double_effects: int = 0
    lost_runs: int = 0
    wrong_verified: int = 0
    unjournalled: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing went wrong."""
        return not sum(self.figures) and not self.faults

    @property
    def figures(self) -> tuple[int, int, int, int]:
        return self.double_effects, self.lost_runs, self.wrong_verified, self.unjournalled

    def __str__(self) -> str:
        row = f"{self.driver:9} {self.disturbance:12} {self.moment:15} {self.tries:5}"
        row += "".join(f"{figure:8}" for figure in self.figures) + f"{self.seconds:9.1f}"
        return row + ("  " + "; ".join(self.faults) if self.faults else "")


def total(tallies: list[Tally]) -> str:
    """The last line of the table."""
    figures = [sum(column) for column in zip(*(one.figures for one in tallies), strict=True)] or [0] * 4
    tries, seconds = sum(one.tries for one in tallies), sum(one.seconds for one in tallies)
    faults = sum(len(one.faults) for one in tallies)
    counts = "double effects {}, lost runs {}, wrong verified {}, unjournalled acts {}".format(*figures)
    verdict = "all sound" if all(one.is_sound for one in tallies) else "NOT SOUND"
    return f"{tries} tries in {seconds:.0f} s: {counts}, other faults {faults}: {verdict}"
