import pytest
from packaging.version import Version

from rules.releases.model import Attention, Flag, Record, Source, Variable
from rules.releases.release import UnknownReleaseError
from rules.releases.shipped import ShippedReleases, load_releases
from rules.releases.store import Shelf, encode

HERE = Source("vllm/engine/arg_utils.py", 7)
RECORD = Record(
    version="0.13.0",
    attention=Attention(),
    flags=(
        Flag("--tensor-parallel-size", HERE, aliases=("-tp",), type="int"),
        Flag("--attention-config", HERE, aliases=("-ac",), type="json"),
        Flag("--hf-overrides", HERE, type="json"),
        Flag("--compilation-config", HERE, aliases=("-O",), type="json"),
        Flag("--enforce-eager", HERE, aliases=("--no-enforce-eager",), type="bool"),
    ),
    dotted_flags=(
        Flag("--attention-config.backend_per_kind", HERE, choices=("X",)),
        Flag("--hf-overrides.*", HERE, type="json"),
        Flag("--compilation-config.level", HERE, type="int"),
    ),
    variables=(Variable("VLLM_B", HERE), Variable("VLLM_A", HERE)),
    messages=(),
)


@pytest.fixture
def release():
    return ShippedReleases(Shelf(encode([RECORD]).__getitem__)).get("0.13.0")


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("--tensor-parallel-size", "--tensor-parallel-size"),
        ("--tensor_parallel_size", "--tensor-parallel-size"),
        ("--tensor_parallel-size=4", "--tensor-parallel-size"),
        ("-tp", "--tensor-parallel-size"),
        ("--no-enforce-eager", "--enforce-eager"),
        ("--no_enforce_eager", "--enforce-eager"),
        ("--attention-config.backend_per_kind", "--attention-config.backend_per_kind"),
        ("--attention_config.backend_per_kind", "--attention-config.backend_per_kind"),
        ("-ac.backend_per_kind", "--attention-config.backend_per_kind"),
        ("--hf-overrides.rope.factor", "--hf-overrides.rope.factor"),
        ("-O3", "--compilation-config"),
        ("-O.level", "--compilation-config.level"),
        ("-O.level+", "--compilation-config.level"),
    ],
)
def test_a_flag_is_found_in_every_spelling_that_the_parser_takes(release, spelling, name):
    flag = release.flag(spelling)

    assert flag is not None
    assert flag.name == name


@pytest.mark.parametrize(
    "spelling",
    [
        "--nothing",
        "-x",
        "tensor-parallel-size",
        "--attention-config.backend-per-kind",
        "--attention-config.gone",
        "",
    ],
)
def test_what_the_parser_does_not_take_is_no_flag(release, spelling):
    assert release.flag(spelling) is None


def test_flags_and_variables_are_sorted_by_name(release):
    assert [flag.name for flag in release.flags()][:2] == ["--attention-config", "--compilation-config"]
    assert [variable.name for variable in release.variables()] == ["VLLM_A", "VLLM_B"]


def test_variables_are_found_by_their_exact_name(release):
    assert release.variable("VLLM_A").source == HERE
    assert release.variable("vllm_a") is None


@pytest.mark.parametrize("version", ["0.13.0", "0.13.0+cu128", "v0.13.0", Version("0.13.0")])
def test_a_release_is_found_by_any_spelling_of_its_number(version):
    releases = ShippedReleases(Shelf(encode([RECORD]).__getitem__))

    assert str(releases.get(version).version) == "0.13.0"


@pytest.mark.parametrize("version", ["0.13.1", "0.13.0rc1", "0.13.0.dev3", "main", ""])
def test_a_release_that_is_not_shipped_is_refused_by_name(version):
    releases = ShippedReleases(Shelf(encode([RECORD]).__getitem__))

    with pytest.raises(UnknownReleaseError) as error:
        releases.get(version)
    assert error.value.version == version
    assert "0.13.0" in str(error.value)


@pytest.mark.parametrize(("asked", "shipped"), [("0.11", "0.11.0"), ("0.13", "0.13.0"), ("0.6.3.0", "0.6.3")])
def test_a_release_is_found_under_every_spelling_of_its_number(asked, shipped):
    found = load_releases().get(asked)

    assert str(found.version) == shipped
    assert found.flag("--dtype") is not None
