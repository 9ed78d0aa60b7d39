"""No secret survives masking; all else does."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.masking import mask

ALNUM = string.ascii_letters + string.digits


def token(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(alphabet=alphabet, min_size=least, max_size=most)


FORMS = st.one_of(
    token(ALNUM, 30, 37).map("hf_{}".format),
    token(ALNUM, 20, 48).map("sk-{}".format),
    token(ALNUM, 20, 48).map("sk-proj-{}".format),
    token(string.digits, 8, 12).flatmap(
        lambda digits: token(ALNUM, 12, 24).map(lambda text: f"xoxb-{digits}-{text}")
    ),
    token(ALNUM, 36, 36).map("ghp_{}".format),
    token(ALNUM + "_", 60, 80).map("github_pat_{}".format),
    token(string.ascii_uppercase + string.digits, 16, 16).map("AKIA{}".format),
    token(ALNUM + "_-", 35, 35).map("AIza{}".format),
    token(ALNUM, 20, 20).map("glpat-{}".format),
    st.tuples(token(ALNUM, 20, 30), token(ALNUM, 20, 60), token(ALNUM, 20, 43)).map(
        lambda parts: "eyJ{}.{}.{}".format(*parts)
    ),
)


@given(
    secret=FORMS,
    before=st.sampled_from(["", "token ", "'", "=", "(", "\n", "日本"]),
    after=st.sampled_from(["", " x", "'", ")", "\n", ","]),
)
def test_no_token_of_a_known_service_survives(secret, before, after):
    masked, count = mask(before + secret + after)

    assert secret not in masked
    assert count >= 1


ANY_SECRET = st.text(alphabet=ALNUM + "!#%^*_-+./~?", min_size=8, max_size=40).filter(
    lambda text: any(character.isdigit() for character in text) and text[0].isalnum() and text[-1].isalnum()
)
PLACES = st.sampled_from(
    [
        "vllm serve m --api-key {} --port 8000",
        "vllm serve m --api-key={}",
        "vllm serve m --hf-token '{}'",
        "python -m server --password {}",
        "HF_TOKEN={} vllm serve m",
        "export OPENAI_API_KEY={}",
        'export OPENAI_API_KEY="{}"',
        "HUGGING_FACE_HUB_TOKEN: {}",
        "docker run -e HF_TOKEN={} vllm/vllm-openai",
        "ENV AWS_SECRET_ACCESS_KEY {}",
        "os.environ['HF_TOKEN'] = '{}'",
        'os.environ.setdefault("HF_TOKEN", "{}")',
        "Namespace(model='m', api_key='{}', port=8000)",
        "non-default args: {{'model': 'm', 'api_key': ['{}'], 'port': 80}}",
        '{{"hf_token": "{}", "port": 1}}',
        'Environment="HF_TOKEN={}"',
        "  - name: HF_TOKEN\n    value: {}",
        '  - name: HF_TOKEN\n    value: "{}"',
        "curl -H 'Authorization: Bearer {}' http://localhost:8000/v1/models",
        '"Authorization": "Bearer {}"',
        "postgresql://bot:{}@db.internal:5432/bot",
        "https://user:{}@huggingface.co/m",
        "GET /v1/models?api_key={} HTTP/1.1",
        "password = '{}'",
        "DB_PASSWORD={}",
        "client_secret={}",
        "['--api-key', '{}']",
        "https://hooks.slack.com/services/{}",
    ]
)


@given(secret=ANY_SECRET, place=PLACES)
def test_no_secret_survives_where_its_place_gives_it_away(secret, place):
    masked, count = mask(place.format(secret))

    assert secret not in masked
    assert count >= 1


@pytest.mark.parametrize(
    "place",
    [
        "MY_SECRET_KEY='{}",
        "--api-key '{}",
        'password: "{}',
        "{{'api_key': '{}",
        "{{'api_key': ['{}",
        'HF_TOKEN="{}',
    ],
)
@pytest.mark.parametrize("rest", ["", "\nvllm serve org/model"])
def test_no_secret_survives_where_the_paste_was_cut_before_its_closing_quote(place, rest):
    masked, count = mask(place.format("hunter2 secret") + rest)

    assert "hunter2" not in masked
    assert masked.endswith(rest)
    assert count == 1


@given(secret=ANY_SECRET, place=PLACES, form=FORMS)
def test_masking_twice_is_masking_once(secret, place, form):
    once, _ = mask(f"{place.format(secret)}\n{form} /home/alice/x 192.0.2.7 a@b.org")

    assert mask(once) == (once, 0)


@given(
    st.lists(st.one_of(st.text(max_size=60), FORMS, st.builds(str.format, PLACES, ANY_SECRET)), max_size=12)
)
def test_no_line_is_added_or_lost(parts):
    text = "\n".join(parts)

    assert mask(text)[0].count("\n") == text.count("\n")


@given(
    name=token(string.ascii_lowercase + string.digits + "._-", 3, 12).filter(
        lambda text: text[0].isalpha() and text[-1].isalnum()
    )
)
@pytest.mark.parametrize(
    "place",
    [
        "/home/{}/venv/lib",
        "/Users/{}/x",
        "C:\\Users\\{}\\x",
        "C:\\\\Users\\\\{}\\\\x",
        "/data/home/{}/x",
        "ls /home/{}",
        "{}@gpu-1:~/vllm$ ls",
    ],
)
def test_names_of_people_do_not_survive(place, name):
    masked, count = mask(place.format(name))

    assert masked == place.format("<user>") or name in {"root", "runner", "nobody"}
    assert count == 1 or name in {"root", "runner", "nobody"}


OCTETS = st.integers(1, 254)
ADDRESSES = st.tuples(OCTETS.filter(lambda first: first != 127), OCTETS, OCTETS, OCTETS).map(
    lambda parts: ".".join(map(str, parts))
)


@given(address=ADDRESSES)
@pytest.mark.parametrize(
    "place",
    [
        "tcp://{}:41373",
        "host {}",
        "ip={}",
        "connect to {} failed",
        "http://{}/v1",
        "bind on address ('{}', 9000)",
        "{}",
        "inet {}/24",
        "master_addr='{}'",
    ],
)
def test_addresses_do_not_survive(place, address):
    assert mask(place.format(address)) == (place.format("<ip>"), 1)


@given(version=ADDRESSES)
@pytest.mark.parametrize(
    "place",
    [
        "vllm=={}",
        "vllm {}",
        "vLLM v{}",
        "vLLM API server version {}",
        "vllm/vllm-openai:v{}",
        "nvidia-cublas-cu12=={}",
        "nvidia-cublas-cu12           {}",
        "driver version {}",
        "vllm-{}.dist-info",
        "libcudnn.so.{}",
    ],
)
def test_versions_of_four_parts_stay(place, version):
    assert mask(place.format(version)) == (place.format(version), 0)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "0.0.0.0:8000", "127.0.1.1", "::1", "[::]:8000", "255.255.255.0"]
)
def test_loopback_and_wildcard_addresses_stay(address):
    assert mask(f"listening on {address}") == (f"listening on {address}", 0)


@pytest.mark.parametrize("address", ["fe80::1", "2001:db8::5", "2001:db8:0:0:0:0:0:1", "fd00::a:b"])
def test_ipv6_addresses_do_not_survive(address):
    assert mask(f"[{address}]:8000") == ("[<ip>]:8000", 1)


def test_a_private_key_becomes_one_mark_and_its_lines_stay_counted():
    text = (
        "before\n-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx3bV\n"
        "qv8=\n-----END RSA PRIVATE KEY-----\nafter"
    )

    assert mask(text) == ("before\n<private key>\n\n\n\nafter", 1)


@pytest.mark.parametrize(
    "text",
    ["PRIVATE KEY", "a PRIVATE KEY was expected", "-----BEGIN PRIVATE KEY", "-----END PRIVATE KEY-----"],
)
def test_words_about_a_private_key_that_hold_none_stay(text):
    assert mask(text) == (text, 0)


def test_a_private_key_whose_end_is_missing_is_masked_as_far_as_it_goes():
    text = "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx3bV\nMIIEowIBAAKCAQEAx3bV\nRuntimeError: x"

    assert mask(text) == ("<private key>\n\n\nRuntimeError: x", 1)


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.",
        "KeyError: 'layers.0.self_attn.qkv_proj.weight'",
        (
            "max_tokens=16 num_computed_tokens=[5] --max-num-batched-tokens "
            "64 --tokenizer m --tokenizer-mode auto"
        ),
        "eos_token='</s>' bos_token_id=1 pad_token=None image_token: <image>",
        "api_key=None hf_token=None token=None password=''",
        "HF_TOKEN=$HF_TOKEN OPENAI_API_KEY=EMPTY api_key=os.environ['KEY']",
        "vllm serve: error: argument --api-key: expected at least one argument",
        "[--api-key API_KEY [API_KEY ...]] [--hf-token [HF_TOKEN]]",
        "HF_TOKEN: environment variable is not set",
        "    api_key=api_key, token=token)",
        "Invalid user token. The token has no permission.",
        "std::vector<c10::Error> at::native::add c10::cuda 07:55:57 1:2:3",
        "ERROR 11-28 07:55:57 [core.py:842] EngineCore failed to start.",
        "/root/.cache/huggingface/hub /opt/home /var/lib",
        "sk-learn task-manager disk-usage risk-free",
        "(EngineCore_DP0 pid=15548) Process EngineCore_DP0:",
    ],
)
def test_ordinary_output_is_left_alone(text):
    assert mask(text) == (text, 0)


def test_each_secret_is_counted():
    assert mask("HF_TOKEN=abc12345 /home/alice/x 192.0.2.7 192.0.2.8 a@b.org")[1] == 5


def test_a_flood_of_secrets_is_withheld_rather_than_shown():
    masked, count = mask("\n".join(f"password=secret{number}" for number in range(20_000)))

    assert "secret19999" not in masked
    assert "secret10" not in masked
    assert masked.count("\n") == 19_999
    assert count > 1000


@pytest.mark.parametrize(
    "name", ["VLLM_HOST_IP", "NCCL_SOCKET", "VLLM_DP_MASTER_IP", "CUDNN_PEER_ADDR", "A_B"]
)
@pytest.mark.parametrize("quote", ["", '"'])
def test_an_address_in_a_variable_is_masked_whatever_package_its_name_holds(name, quote):
    assert mask(f"{name}={quote}203.0.113.77{quote}") == (f"{name}={quote}<ip>{quote}", 1)


@pytest.mark.parametrize(
    "text", ["VLLM_VERSION=0.9.0.1", "CUDNN_VERSION=9.1.0.70", "vllm=0.9.0.1", "vllm==0.9.0.1"]
)
def test_a_version_in_a_variable_stays(text):
    assert mask(text) == (text, 0)
