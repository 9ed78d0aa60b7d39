"""The short reading of markers agrees with the library that reads all of them."""

import pytest
from packaging.markers import Marker

from rules.releases.machine_markers import marker_holds
from rules.releases.shipped import load_releases


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_marker_of_every_release_means_what_the_library_says(machine):
    releases = load_releases()
    markers = {
        text.partition(";")[2]
        for version in releases.versions()
        for text in dict(releases.get(version)._attention.packages).values()
        if ";" in text
    }
    linux = {"platform_machine": machine, "platform_system": "Linux", "sys_platform": "linux"}

    assert markers
    assert all(marker_holds(marker, machine) is Marker(marker).evaluate(linux) for marker in markers)


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ('platform_machine == "x86_64"', True),
        ("platform_machine != 'x86_64'", False),
        ('platform_system == "Linux" and platform_machine == "aarch64"', False),
        ('platform_machine == "aarch64" or platform_machine == "x86_64"', True),
        ('python_version >= "3.0"', True),
        ('(platform_machine == "aarch64") or sys_platform == "linux"', True),
    ],
)
def test_markers_hold_as_their_words_say(marker, holds):
    assert marker_holds(marker, "x86_64") is holds
