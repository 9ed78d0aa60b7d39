"""Options and arguments that several commands about relaunches share. Not for the commands."""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of lines.")]
RunArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the relaunch.")]
ServerArgument = Annotated[str, typer.Argument(metavar="SERVER", help="Name of a server of the registry.")]
IncidentOption = Annotated[str, typer.Option(metavar="ID", help="The incident whose fix is carried out.")]
FixOption = Annotated[
    str | None,
    typer.Option(metavar="FIX", help="Which fix; otherwise the first one for the server's release."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Although the server serves.")]
WaitOption = Annotated[bool, typer.Option("--wait", help="Follow it to its end; 0 only when it is proven.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
