"""Where in a relaunch something is done to it. Not tests."""

#: the bot is held when a state was written down, when a letter was taken, or when a step was done and its result
#: is not kept yet
KEPT = (
    "before-letter",
    "after-letter",
    "locked",
    "done:lock",
    "done:check",
    "stopping",
    "done:stop",
    "gpu_free",
    "done:free",
    "launching",
    "done:launch",
    "starting",
    "done:start",
    "healthy",
    "done:healthy",
    "verifying",
    "done:verify",
    "committed",
    "done:commit",
)
BACK = ("rolling_back", "done:restore", "rolled_back", "done:restored")
#: a request is held on its way to the host: before it is carried out, or with its answer
AT_THE_HOST = ("stop", "stop:done", "start", "start:done", "commit", "commit:done", "restore", "restore:done")
VERBS = ("stop", "start", "commit", "restore")
#: states in which something is asked of the host
ASKING = ("locked", "stopping", "gpu_free", "launching", "starting", "healthy", "verifying", "rolling_back")
STATES = (*ASKING, "committed", "rolled_back")
MOMENTS = (*KEPT, *BACK, *(f"host:{verb}" for verb in AT_THE_HOST))


def goes_back(moment: str) -> bool:
    """Whether the server has to lie so that a run comes to the moment."""
    return moment in BACK or "restore" in moment
