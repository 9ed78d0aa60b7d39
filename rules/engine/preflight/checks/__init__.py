"""The checks of a preflight, in the order in which a server meets them. Not for words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rules.engine.preflight.checks.arithmetic import check as arithmetic
from rules.engine.preflight.checks.attention import check as attention
from rules.engine.preflight.checks.conflicts import check as conflicts
from rules.engine.preflight.checks.encoders import check as encoders
from rules.engine.preflight.checks.environment.backend_variable import check as backend_variable
from rules.engine.preflight.checks.environment.variable_values import check as variable_values
from rules.engine.preflight.checks.environment.variables import check as variables
from rules.engine.preflight.checks.lengths import check as lengths
from rules.engine.preflight.checks.model_files import check as model_files
from rules.engine.preflight.checks.words.flags import check as flags
from rules.engine.preflight.checks.words.json_values import check as json_values
from rules.engine.preflight.checks.words.names import check as names
from rules.engine.preflight.checks.words.values import check as values

if TYPE_CHECKING:
    from rules.engine.preflight.case import Case
    from rules.engine.preflight.faults import Fault

Check = Callable[["Case"], Iterator["Fault"]]

CHECKS: tuple[Check, ...] = (
    flags,
    values,
    json_values,
    names,
    variables,
    variable_values,
    backend_variable,
    attention,
    encoders,
    arithmetic,
    lengths,
    conflicts,
    model_files,
)
