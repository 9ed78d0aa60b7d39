"""What is remembered for a moment is neither old nor much."""

from adapters.chat.short_memory import ShortMemory


class Seconds:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_an_answer_is_found_as_long_as_whoever_asks_takes_one_so_old():
    seconds = Seconds()
    memory = ShortMemory(5, seconds)
    memory.keep("a", frozenset())
    seconds.now += 59.0

    assert memory.find("a", 60.0) == frozenset()
    assert memory.find("a", 59.0) is None
    assert memory.find("a", 0.0) is None
    assert memory.find("b", 60.0) is None


def test_nothing_old_counts_for_whoever_asks_anew_not_even_in_the_same_moment():
    memory = ShortMemory(5, Seconds())
    memory.keep("a", 1)

    assert memory.find("a", 0.0) is None


def test_the_oldest_answer_makes_room():
    memory = ShortMemory(2, Seconds())
    for key in ("a", "b", "a", "c"):
        memory.keep(key, key)

    assert [memory.find(key, 60.0) for key in "abc"] == ["a", None, "c"]
