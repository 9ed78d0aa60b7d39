"""`vllm-diagnose relaunch`: what the buttons do, from a terminal, as the user that the system says is there.

The running bot carries out what is approved here; this program only asks, shows and waits.
"""

import typer

from bot.cli.relaunch import ending_commands, planning_commands, showing_commands
from bot.cli.relaunch.switch_command import switch

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Plan, approve and follow relaunches.\n\nFor example: vllm-diagnose relaunch list",
)
app.command("list")(showing_commands.list_relaunches)
app.command("show")(showing_commands.show)
app.command("plan")(planning_commands.plan)
app.command("request")(planning_commands.request)
app.command("approve")(planning_commands.approve)
app.command("reject")(ending_commands.reject)
app.command("cancel")(ending_commands.cancel)
app.command("unlock")(ending_commands.unlock)
app.command("switch")(switch)
app.command("fetch")(showing_commands.fetch)
app.command("sweep")(showing_commands.sweep)
