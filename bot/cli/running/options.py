"""Options that the commands of the running bot share. Not for what they do."""

from typing import Annotated

import typer

HostOption = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address; otherwise the setting's.")]
PortOption = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]
