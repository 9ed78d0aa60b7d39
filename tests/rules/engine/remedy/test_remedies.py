"""What is offered for the seed's failure, per release and machine, from hand-written release facts."""

import dataclasses
import shlex
from collections.abc import Mapping

import pytest
from packaging.version import Version

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import RuleHits
from rules.engine.paste.facts import Facts
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.remedy.occurs import releases_that_print
from rules.engine.report import FixKind, ProofKind
from rules.engine.rule.loading import load_catalogue
from rules.engine.seams import Answer, Case
from tests.rules.engine.remedy.handmade import HandmadeReleases

CATALOGUE = load_catalogue()
RELEASES = HandmadeReleases()
SEED = CATALOGUE.rule("vit-backend-rejected")
QWEN3 = {"model": "Qwen3-VL", "backend": "FLASHINFER"}


def answer(
    facts: Facts, *versions: str, captures: Mapping[str, str] = QWEN3, language: str = "en", rule=SEED
) -> Answer:
    releases = tuple(map(Version, versions))
    situation = Situation(RuleHits({}), facts, captures, releases)
    case = Case(rule, captures, facts, releases, language, situation.holds)
    return RemedyAnswerer(CATALOGUE, RELEASES).answer(case)


def ids(found: Answer) -> list[str]:
    return list(dict.fromkeys(fix.id for fix in found.fixes))


def on(gpu: str, capability: str, **more) -> Facts:
    return Facts(gpu=gpu, compute_capability=capability, **more)


def test_hopper_is_offered_all_four_in_the_order_to_try():
    found = answer(on("H100", "9.0", vllm_version="0.11.2"), "0.11.2")

    assert ids(found) == ["unset-variable", "flash-attn-variable", "encoder-backend-flag", "upgrade"]


@pytest.mark.parametrize("release", ["0.11.0", "0.11.1", "0.11.2", "0.12.0"])
@pytest.mark.parametrize("capability", ["7.0", "7.5"])
def test_cards_before_ampere_are_never_offered_flash_attn(release, capability):
    found = answer(on("old", capability, vllm_version=release), release)

    values = [
        value
        for fix in found.fixes
        if fix.change
        for value in (*fix.change.env_set.values(), *fix.change.flags_set.values())
    ]
    assert "FLASH_ATTN" not in values
    assert "unset-variable" in ids(found)


def test_an_arm_host_is_not_told_to_unset_where_the_default_lacks_its_package():
    found = answer(on("GH200", "9.0", architecture="aarch64", vllm_version="0.11.2"), "0.11.2")

    assert ids(found) == ["flash-attn-variable", "encoder-backend-flag", "upgrade"]


def test_an_installed_flash_attn_rescues_the_default_of_an_arm_host():
    facts = on("GH200", "9.0", architecture="aarch64", packages={"flash-attn": "2.8.3"})

    assert ids(answer(facts, "0.11.2"))[0] == "unset-variable"


def test_an_unknown_architecture_is_a_condition_and_a_question():
    found = answer(on("H100", "9.0", vllm_version="0.11.2"), "0.11.2")

    assert "aarch64" in found.fixes[0].summary
    assert "architecture" in [ask.fact for ask in found.ask]


def test_data_centre_blackwell_keeps_flashinfer_for_the_language_model():
    found = answer(on("B200", "10.0", vllm_version="0.11.2"), "0.11.2")

    assert ids(found) == ["unset-variable", "encoder-backend-flag", "upgrade"]


def test_old_releases_are_offered_no_flag_that_they_lack():
    found = answer(
        Facts(vllm_version="0.8.5"), "0.8.5", captures={"model": "Qwen2-VL", "backend": "FLASHINFER"}
    )

    assert all(not fix.change or not fix.change.flags_set for fix in found.fixes)
    assert ids(found) == ["unset-variable", "flash-attn-variable-and-package", "upgrade"]
    assert "flash-attn" in found.fixes[1].summary


def test_a_package_list_without_flash_attn_rules_it_out():
    packages = {"vllm": "0.8.5", "torch": "2.6.0"}

    found = answer(Facts(packages=packages), "0.8.5", captures={"model": "Qwen2-VL", "backend": "FLASHINFER"})

    assert ids(found) == ["unset-variable", "upgrade"]


def test_an_unknown_release_gets_one_remedy_per_range_where_the_answer_differs():
    found = answer(Facts(), "0.11.1", "0.11.2", "0.12.0")

    unset = [fix.releases for fix in found.fixes if fix.id == "unset-variable"]
    flag = [fix.releases for fix in found.fixes if fix.id == "encoder-backend-flag"]
    assert unset == ["==0.12.0", ">=0.11.1,<0.12"]
    assert flag == ["==0.12.0", ">=0.11.1,<0.12"]


def test_the_gpu_is_asked_for_first_and_at_most_three_questions_are_asked():
    found = answer(Facts(), "0.11.1", "0.11.2", "0.12.0")

    assert [ask.fact for ask in found.ask] == ["gpu", "vllm_version", "launch"]


def test_a_flag_in_the_launch_is_dropped_or_set_and_the_variable_is_not_blamed():
    facts = on(
        "H100", "9.0", architecture="x86_64", vllm_version="0.11.2",
        argv=("vllm", "serve", "Qwen/Qwen3-VL-8B-Instruct", "--mm-encoder-attn-backend", "FLASHINFER"),
        flags={"--mm-encoder-attn-backend": "FLASHINFER"},
    )  # fmt: skip

    found = answer(facts, "0.11.2")

    assert ids(found) == ["drop-encoder-flag", "encoder-backend-flag"]
    assert "FLASHINFER" not in found.fixes[1].commands[-1]
    assert all("VLLM_ATTENTION_BACKEND" not in fix.summary for fix in found.fixes)


def test_dropping_the_flag_is_not_offered_where_the_variable_would_be_refused_next():
    facts = on(
        "H100",
        "9.0",
        env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"},
        flags={"--mm-encoder-attn-backend": "TRITON_ATTN"},
    )

    assert "drop-encoder-flag" not in ids(answer(facts, "0.11.2"))


def test_who_set_the_variable_is_said_when_the_paste_shows_it():
    seen = answer(on("H100", "9.0", env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"}), "0.11.2")
    elsewhere = answer(on("H100", "9.0", argv=("vllm", "serve", "m")), "0.11.2")
    unknown = answer(on("H100", "9.0"), "0.11.2")

    assert "set to FLASHINFER" in seen.fixes[0].summary
    assert "image or a wrapper" in elsewhere.fixes[0].summary
    assert "does not show" in unknown.fixes[0].summary
    assert "launch" in [ask.fact for ask in unknown.ask]
    assert "launch" not in [ask.fact for ask in seen.ask]


def test_each_fix_is_proven_by_the_line_that_follows_it():
    found = {fix.id: fix for fix in answer(on("H100", "9.0", vllm_version="0.11.2"), "0.11.2").fixes}

    assert "'Using FLASH_ATTN backend.'" in found["unset-variable"].verify[0].command
    assert (
        "'Using AttentionBackendEnum.FLASH_ATTN backend.'" in found["flash-attn-variable"].verify[0].command
    )
    assert (
        "'Using AttentionBackendEnum.FLASHINFER backend.'" in found["encoder-backend-flag"].verify[0].command
    )


def test_a_default_that_depends_on_an_installed_package_is_proven_by_either_line():
    found = answer(on("T4", "7.5", vllm_version="0.11.2"), "0.11.2")

    command = found.fixes[0].verify[0].command
    assert "Using FLASHINFER backend." in command
    assert "Using TRITON_ATTN backend." in command


def test_the_lines_that_a_proof_looks_for_are_told_apart_from_its_command():
    facts = on("H100", "9.0", vllm_version="0.11.2", argv=("vllm", "serve", "Qwen/Qwen3-VL-8B-Instruct"))
    found = answer(facts, "0.11.2")

    proofs = [proof for fix in found.fixes for proof in fix.verify if proof.kind is ProofKind.LOG]
    assert proofs
    for proof in proofs:
        words = shlex.split(proof.command)
        assert {*proof.lines, *proof.absent} == {*words[1:-1]} - {"-F", "-cF", "-e"}
    assert all(
        not (proof.lines or proof.absent)
        for fix in found.fixes
        for proof in fix.verify
        if proof.kind is not ProofKind.LOG
    )


def test_a_release_that_prints_nothing_is_proven_by_a_request_with_an_image():
    found = answer(
        Facts(vllm_version="0.8.5"), "0.8.5", captures={"model": "Qwen2-VL", "backend": "FLASHINFER"}
    )

    commands = [proof.command for proof in found.fixes[0].verify]
    assert not any("Using" in command for command in commands)
    assert any("data:image/png;base64," in command for command in commands)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("facts", [
    Facts(),
    on("H100", "9.0", argv=("vllm", "serve", "a model's name", "--port", "9000"), model="a model's name"),
    on("T4", "7.5", model="模型"),
])  # fmt: skip
def test_every_command_is_plain_ascii_shell(facts, language):
    found = answer(facts, "0.11.1", "0.11.2", "0.12.0", language=language)

    for fix in found.fixes:
        for command in (*fix.commands, *(proof.command for proof in fix.verify)):
            assert shlex.split(command)
            assert command.isascii()


def test_a_launch_is_repeated_with_the_flag_in_it_and_the_variable_kept():
    facts = on(
        "H100", "9.0", env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"}, model="Qwen/Qwen3-VL-8B-Instruct",
        argv=("vllm", "serve", "Qwen/Qwen3-VL-8B-Instruct", "--port", "9000"), flags={"--port": "9000"},
    )  # fmt: skip

    found = {fix.id: fix for fix in answer(facts, "0.11.2").fixes}

    launch = "vllm serve Qwen/Qwen3-VL-8B-Instruct --port 9000"
    flag = "--mm-encoder-attn-backend FLASH_ATTN"
    assert found["encoder-backend-flag"].commands == (
        f"env VLLM_ATTENTION_BACKEND=FLASHINFER {launch} {flag} 2>&1 | tee vllm.log",
    )
    assert found["unset-variable"].commands == (
        "unset VLLM_ATTENTION_BACKEND",
        "env -u VLLM_ATTENTION_BACKEND vllm serve Qwen/Qwen3-VL-8B-Instruct --port 9000 2>&1 | tee vllm.log",
    )
    assert any("localhost:9000" in proof.command for proof in found["unset-variable"].verify)


def test_outside_the_shipped_facts_nothing_bound_to_a_release_is_offered():
    assert answer(Facts(vllm_version="0.99.0")).fixes == ()


def test_chinese_answers_are_chinese_and_their_commands_are_the_english_ones():
    english = answer(on("H100", "9.0"), "0.11.2")
    chinese = answer(on("H100", "9.0"), "0.11.2", language="zh")

    assert [fix.commands for fix in english.fixes] == [fix.commands for fix in chinese.fixes]
    assert all(any("\u4e00" <= one <= "\u9fff" for one in fix.summary) for fix in chinese.fixes)


def test_facts_tell_which_releases_have_an_encoder_that_refuses():
    assert SEED is not None
    candidates = RELEASES.versions()

    def printing(label: str, backend: str) -> list[str]:
        captures = {"model": label, "backend": backend}
        return [str(version) for version in releases_that_print(SEED, captures, candidates, RELEASES)]

    assert printing("Qwen3-VL", "FLASHINFER") == ["0.11.0", "0.11.1", "0.11.2", "0.12.0"]
    assert printing("Some-Fork-VL", "FLASHINFER") == [str(version) for version in candidates]
    untouched = dataclasses.replace(SEED, tower=False)
    assert releases_that_print(untouched, QWEN3, candidates, RELEASES) == candidates


@pytest.mark.parametrize(
    ("platform", "told"), [(None, True), ("cuda", True), ("rocm", False), ("cpu", False)]
)
def test_only_a_machine_of_cuda_is_told_to_install_what_the_package_index_holds(platform, told):
    found = answer(Facts(platform=platform, vllm_version="0.11.2"), "0.11.2")

    upgrade = next(fix for fix in found.fixes if fix.kind is FixKind.UPGRADE)
    assert bool(upgrade.commands) is told
