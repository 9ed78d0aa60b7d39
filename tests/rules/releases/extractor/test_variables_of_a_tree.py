import pytest

from rules.releases.extractor.surface.variables import read_variables

TREE = {
    "vllm/envs.py": """
        import os
        from vllm.choosing import env_with_choices

        environment_variables: dict = {
            "VLLM_PORT": get_vllm_port,
            "VLLM_ATTENTION_BACKEND": env_with_choices(
                "VLLM_ATTENTION_BACKEND",
                None,
                lambda: list(
                    __import__("vllm.registry", fromlist=["Kind"]).Kind.__members__.keys()
                ),
            ),
            "VLLM_LAYOUT": env_with_choices("VLLM_LAYOUT", None, ["NHD", "HND"], case_sensitive=False),
            "VLLM_METHOD": env_with_choices("VLLM_METHOD", "fork", choices=["spawn", "fork"]),
            "VLLM_DO_NOT_TRACK": lambda: os.environ.get("DO_NOT_TRACK", "0") == "1",
            "VLLM_LEVEL": lambda: os.getenv("VLLM_LEVEL", "INFO").upper(),
        }
    """,
    "vllm/registry.py": "class Kind(Enum):\n    FLASH_ATTN = 'x'\n    XFORMERS = 'y'\n",
    "vllm/selector.py": """
        import os
        STR_BACKEND = "VLLM_SECRET_BACKEND"
        def choose():
            if os.environ["VLLM_READ_HERE"] == "1":
                return os.environ.get(STR_BACKEND)
            os.environ["VLLM_ONLY_WRITTEN"] = "1"
            if "VLLM_ASKED_FOR" in os.environ:
                return os.getenv("HF_TOKEN")
    """,
    "vllm/config/attention.py": """
        class AttentionConfig:
            def _set_from_env_if_set(self, field_name, env_var_name):
                logger.warning_once(
                    "Using %s environment variable is deprecated and will be removed in "
                    "v0.14.0. Please use --attention-config.%s instead.",
                    env_var_name,
                    field_name,
                )
            def __post_init__(self):
                self._set_from_env_if_set("backend", "VLLM_ATTENTION_BACKEND")
                self._set_from_env_if_set(field_name="layout", env_var_name="VLLM_LAYOUT")
                if envs.VLLM_METHOD:
                    logger.warning("VLLM_METHOD environment variable is deprecated. Set %s.", method)
                if envs.VLLM_PORT:
                    logger.warning("VLLM_PORT is set, but that deprecated port is ignored.")
    """,
}


@pytest.fixture
def variables(tree_of):
    return {variable.name: variable for variable in read_variables(tree_of(TREE))}


def test_the_table_is_read_with_the_line_of_each_name(variables):
    assert str(variables["VLLM_PORT"].source) == "vllm/envs.py:6"
    assert variables["VLLM_PORT"].choices is None


def test_choices_are_read_also_from_an_enum_that_is_imported_late(variables):
    assert variables["VLLM_ATTENTION_BACKEND"].choices == ("FLASH_ATTN", "XFORMERS")
    assert variables["VLLM_METHOD"].choices == ("spawn", "fork")


def test_it_is_known_where_upper_and_lower_case_are_the_same(variables):
    assert variables["VLLM_LAYOUT"].any_case
    assert variables["VLLM_LEVEL"].any_case
    assert not variables["VLLM_METHOD"].any_case


def test_reads_elsewhere_count_for_names_of_vllm_only(variables):
    assert {"VLLM_READ_HERE", "VLLM_SECRET_BACKEND", "VLLM_ASKED_FOR"} <= set(variables)
    assert "HF_TOKEN" not in variables
    assert variables["VLLM_READ_HERE"].source.file == "vllm/selector.py"


def test_another_name_that_the_table_itself_reads_counts(variables):
    assert "DO_NOT_TRACK" in variables


def test_a_variable_that_is_only_written_is_none(variables):
    assert "VLLM_ONLY_WRITTEN" not in variables


def test_the_deprecation_is_filled_for_each_variable_that_a_function_is_called_with(variables):
    assert variables["VLLM_ATTENTION_BACKEND"].deprecated == (
        "Using VLLM_ATTENTION_BACKEND environment variable is deprecated and will be removed in v0.14.0. "
        "Please use --attention-config.backend instead."
    )
    assert "--attention-config.layout" in variables["VLLM_LAYOUT"].deprecated


def test_a_deprecation_that_names_its_variable_is_found_and_others_are_not(variables):
    assert variables["VLLM_METHOD"].deprecated == "VLLM_METHOD environment variable is deprecated. Set {}."
    assert variables["VLLM_PORT"].deprecated is None
