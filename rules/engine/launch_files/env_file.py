"""Files of `NAME=value` lines, as compose and systemd take them. Not for what the variables mean."""

from io import StringIO

from dotenv.parser import parse_stream


def read_env_text(text: str) -> tuple[dict[str, str], list[int]]:
    """Return the variables of a file, and the numbers of the lines that are none.

    Values are taken as they stand: `$NAME` is not replaced.
    """
    variables: dict[str, str] = {}
    faulty: list[int] = []
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            faulty.append(binding.original.line)
        elif binding.key is not None:
            variables[binding.key] = binding.value or ""
    return variables, faulty
