"""GPU names in any common spelling."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.gpus import CAPABILITIES, Gpu, catalogue, find_gpu, read_capability, read_gpu, words

PLATFORMS = {"cuda", "rocm", "cpu", "xpu", "tpu", "hpu", "npu", "neuron"}


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("H100", "9.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("H100 80GB (79.18 GiB)", "9.0"),
        ("H100 MIG 1g.20gb", "9.0"),
        ("8xH100", "9.0"),
        ("H100 x16", "9.0"),
        ("H100-class TP", "9.0"),
        ("NVIDIA H20-3e", "9.0"),
        ("Tesla T4", "7.5"),
        ("T4 (g4dn.xlarge)", "7.5"),
        ("Colab T4", "7.5"),
        ("T4G", "7.5"),
        ("RTX 4090 x2", "8.9"),
        ("2x RTX 3090 (sm_86)", "8.6"),
        ("rtx3090", "8.6"),
        ("3090", "8.6"),
        ("2080ti", "7.5"),
        ("RTX 2080 Ti x4 (sm_75)", "7.5"),
        ("NVIDIA GeForce RTX 4060 Ti", "8.9"),
        ("GeForce RTX 3070 Laptop GPU", "8.6"),
        ("RTX 5070Ti", "12.0"),
        ("Quadro RTX 8000", "7.5"),
        ("Quadro RTX 6000 x2 (sm_75)", "7.5"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9"),
        ("RTX 5880 Ada x2 (PCIe)", "8.9"),
        ("NVIDIA RTX A6000", "8.6"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0"),
        ("RTX PRO 6000 Max-Q x4", "12.0"),
        ("RTX PRO 2000 Blackwell 16GB (sm_120)", "12.0"),
        ("Titan RTX", "7.5"),
        ("V100-SXM2-32GB", "7.0"),
        ("V100-32G", "7.0"),
        ("A100-80GB PCIe x4", "8.0"),
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("A800 80GB", "8.0"),
        ("A10 x8", "8.6"),
        ("L40 x8 (sm_89)", "8.9"),
        ("L40S", "8.9"),
        ("NVIDIA L20", "8.9"),
        ("B200 x8", "10.0"),
        ("B300", "10.3"),
        ("GB200", "10.0"),
        ("GH200 480GB", "9.0"),
        ("DGX Spark GB10 (sm_121)", "12.1"),
        ("Jetson Thor (sm_110a)", "11.0"),
        ("Jetson AGX Orin 64GB", "8.7"),
        ("sm_90", "9.0"),
        ("sm90a", "9.0"),
        ("SM100", "10.0"),
        ("sm_121a", "12.1"),
        ("9.0", "9.0"),
        ("cc 8.6", "8.6"),
        ("compute capability 7.5", "7.5"),
        ("SM 12.0, CUDA toolkit < 12.9", "12.0"),
        ("Turing (7.5)", "7.5"),
        ("Maxwell class (5.2)", "5.2"),
        ("Hopper, 8 GPUs", "9.0"),
        ("Ada (sm_89), Windows, CUDA 13", "8.9"),
    ],
)
def test_a_name_gives_the_compute_capability(name, capability):
    found = read_gpu(name)

    assert found is not None
    assert found.capability == capability
    assert found.platform == "cuda"


@pytest.mark.parametrize(
    ("name", "platform", "gfx"),
    [
        ("MI300X", "rocm", "gfx942"),
        ("MI250X (gfx90a)", "rocm", "gfx90a"),
        ("MI355X TP8", "rocm", "gfx950"),
        ("gfx906 (MI50) x2", "rocm", "gfx906"),
        ("RX 7900 XT (WSL2)", "rocm", "gfx1100"),
        ("7900XTX", "rocm", "gfx1100"),
        ("Strix Halo (gfx1151)", "rocm", "gfx1151"),
        ("Ryzen AI MAX+ 395 (gfx1151)", "rocm", "gfx1151"),
        ("gfx1201", "rocm", "gfx1201"),
        ("AMD ROCm", "rocm", None),
        ("Intel Arc 140V (XPU)", "xpu", None),
        ("Intel Arc Pro B70", "xpu", None),
        ("TPU v5e", "tpu", None),
        ("Ascend A2", "npu", None),
        ("800I A2 x16", "npu", None),
        ("Hygon DCU", "rocm", None),
        ("CPU backend", "cpu", None),
        ("M1 Max 32GB", "cpu", None),
    ],
)
def test_a_name_gives_the_platform(name, platform, gfx):
    found = read_gpu(name)

    assert found is not None
    assert (found.platform, found.capability, found.gfx) == (platform, None, gfx)


@pytest.mark.parametrize("name", ["GH200", "GB200", "GB300", "DGX Spark", "GB10", "T4G", "Jetson Orin"])
def test_products_of_arm_hosts_say_so(name):
    found = read_gpu(name)

    assert found is not None
    assert found.architecture == "aarch64"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "main",
            "docker",
            "8 GPUs",
            "2 GPUs (Kaggle)",
            "24 GB GPU",
            "16GB x4",
            "cluster GPU",
            "multi-node",
            "unknown",
            "",
        ),
        *(
            "GPU below sm_80",
            "below sm_80 or fp8 KV",
            "driver 535",
            "OpenShift 4.20",
            "Xeon E7-4830 v2",
            "RunPod",
            "x" * 5000,
        ),
        *("H100/B300", "A10G x4 / A100 80GB", "47.38 GiB cards (L40S/A6000 class)"),
    ],
)
def test_a_text_that_names_no_gpu_or_several_is_not_read(name):
    assert read_gpu(name) is None


@pytest.mark.parametrize("name", ["RTX 6000", "RTX 5000", "RTX 4000", "Titan X", "Ampere", "Blackwell SM12x"])
def test_a_name_that_fits_several_chips_leaves_the_capability_open(name):
    found = read_gpu(name)

    assert found is not None
    assert found.capability is None


def test_no_name_belongs_to_two_products():
    seen: dict[tuple[str, ...], Gpu] = {}
    for name, gpu in catalogue().items():
        assert name, gpu
        assert seen.setdefault(name, gpu) == gpu


def test_every_product_is_known_by_its_own_name_and_has_what_its_platform_needs():
    products = {gpu.product: gpu for gpu in catalogue().values() if gpu.product}

    assert len(products) > 120
    for name, gpu in products.items():
        assert read_gpu(name) == gpu
        assert gpu.platform in PLATFORMS
        assert gpu.capability is None or gpu.capability in CAPABILITIES
        assert gpu.architecture in {None, "aarch64"}
        assert gpu.gfx is None or gpu.gfx.startswith("gfx")


@settings(deadline=None)
@given(st.sampled_from(sorted(catalogue())), st.integers(1, 16), st.booleans())
def test_counts_and_letter_case_do_not_matter(name, count, upper):
    spelled = " ".join(name)
    spelled = spelled.upper() if upper else spelled
    expected = catalogue()[name]

    for text in (spelled, f"{count}x {spelled}", f"{spelled} x{count}", f"{spelled} ({count} GPUs)"):
        found = read_gpu(text)
        assert found is not None, text
        assert (found.product, found.platform) == (expected.product, expected.platform)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    assert read_gpu(text) is None or read_gpu(text).platform in PLATFORMS
    assert read_capability(text) is None or read_capability(text) in CAPABILITIES
    assert isinstance(words(text), list)


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("I get this on two RTX 4090 cards", "NVIDIA GeForce RTX 4090"),
        ("跑在 H100 上", "NVIDIA H100"),
        ("we use A100s", None),
        ("level 3 of 4, option a2", None),
        ("I have 3090 requests and 4090 tokens", None),
        ("H100 works, T4 does not", None),
        ("32GB显存V100，单机两张", "NVIDIA Tesla V100"),
        ("显卡：RTX 4090（24G）", "NVIDIA GeForce RTX 4090"),
        ("4×RTX 3090 in one host", "NVIDIA GeForce RTX 3090"),
        ("GeForce RTX™ 4070 here", "NVIDIA GeForce RTX 4070"),
        ("a node of 8*A10", "NVIDIA A10"),
        ("H100x8, NVLink", "NVIDIA H100"),
        ("L4 x 2 in GKE", "NVIDIA L4"),
        ("I serve it on 3x3090", "NVIDIA GeForce RTX 3090"),
        ("one A30 GPU", "NVIDIA A30"),
        ("images of 1024x8 pixels, layer a10", None),
    ],
)
def test_in_a_sentence_only_a_telling_name_counts(text, product):
    found = find_gpu(text)

    assert (found.product if found else None) == product
