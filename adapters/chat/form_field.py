"""A field of the form that a platform shows when somebody asks without sending anything. Not for drawing it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FormField:
    """One field to fill in. `name` is what the receiver calls it."""

    name: str
    #: 45 characters at most on Discord
    label: str
    hint: str = ""
    limit: int = 200


#: what a log may not show and the answer depends on
LAUNCH_FIELDS = (
    FormField("release", "vLLM release", "For example 0.11.2, if the log does not show it."),
    FormField("gpu", "GPU", "For example H100, if the log does not show it."),
)
