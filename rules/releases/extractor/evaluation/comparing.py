"""Whether values are equal or contained, three-valued: what is unknown is neither. Not for evaluating."""

from __future__ import annotations

from rules.releases.extractor.evaluation.values import External, Instance, Literals, Member, Unknown, Value


def equal(left: Value, right: Value) -> bool | None:
    """Tell whether two values are equal, None when that is unknown."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if isinstance(left, External) and isinstance(right, External):
        # names of constants (`torch.float16`); two names outside torch may stand for one thing
        return (
            True if left == right else (False if {left.dotted[:6], right.dotted[:6]} == {"torch."} else None)
        )
    if isinstance(left, External) or isinstance(right, External):
        other = right if isinstance(left, External) else left
        return False if other is None or isinstance(other, Member) else None
    if isinstance(left, Member) and isinstance(right, str):
        # a member of a string enum is equal to its value
        left = left.value
    elif isinstance(right, Member) and isinstance(left, str):
        right = right.value
    return bool(plain(left) == plain(right))


def contains(container: Value, item: Value) -> bool | None:
    """Tell whether a container holds an item, None when that is unknown."""
    if isinstance(container, str):
        return item in container if isinstance(item, str) else None
    if isinstance(container, Literals):
        container = container.values
    if not isinstance(container, list | tuple | dict | set | range):
        return None
    answers = [equal(one, item) for one in container]
    if True in answers:
        return True
    return None if None in answers else False


def plain(value: Value) -> Value:
    """Return a named tuple as a plain one, to compare it by."""
    return value.as_tuple() if isinstance(value, Instance) else value
