"""Says where in vLLM a failure arose that no rule explains: by its traceback, or by what releases raise."""

from rules.engine.matching.matches import Setting
from rules.engine.matching.ranking import Verdict
from rules.engine.report import RaisedAt, Status
from rules.engine.seams import Places


def raised_at(setting: Setting, verdict: Verdict, places: Places | None) -> tuple[RaisedAt, ...]:
    """Return the places; none for what is diagnosed and for what is no incident."""
    failure = setting.failure
    if verdict.status not in (Status.UNKNOWN, Status.NEED_MORE):
        return ()
    if failure.frame is not None:
        frame = failure.frame
        return (RaisedAt(frame.file, frame.line, function=frame.function),)
    releases = setting.known or setting.raising or setting.shipped
    if places is None or failure.root is None or not releases:
        return ()
    found = places(failure.name, failure.message, releases[-1])
    return tuple(RaisedAt(source.file, source.line, release=str(releases[-1])) for source in found)
