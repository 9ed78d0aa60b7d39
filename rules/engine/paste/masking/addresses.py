"""IP addresses, and how to tell one from a version number of four parts."""

import ipaddress
import re
from typing import Final

import re2

from rules.engine.paste.masking.substitution import Found, substitute

ADDRESS: Final = b"<ip>"
_NUMBER: Final = rb"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"
_IPV4: Final = re2.compile(_NUMBER)
#: bounded repeats only, so the standard library reads it in linear time, and replaces floods faster
_IPV4_FLOOD: Final = re.compile(_NUMBER)
_IPV6_WHOLE: Final = re2.compile(rb"(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}")
_IPV6_SHORT: Final = re2.compile(
    rb"(?:[0-9A-Fa-f]{1,4}:)*[0-9A-Fa-f]{0,4}::(?:[0-9A-Fa-f]{1,4}:)*[0-9A-Fa-f]{0,4}"
)
#: so many numbers of four parts are judged by what stands round them; what follows is masked without a look
_JUDGED: Final = 3000
#: how far before a number its meaning is looked for
_CONTEXT: Final = 60
#: `NCCL_SOCKET=`: a variable that its name does not call a version
_ENV_NAME: Final = re2.compile(rb"(?:^|[^A-Za-z0-9_])[A-Z][A-Z0-9]*_[A-Z0-9_]*=[\"']?$")
_VERSION_WORDS: Final = (b"version", b"ver", b"release", b"driver", b"cudnn", b"nccl", b"cublas", b"toolkit")
_VERSION_MARKS: Final = (
    b"==",
    b">=",
    b"<=",
    b"~=",
    b"!=",
    b" v",
    b"(v",
    b"-v",
    b":v",
    b"_v",
    b"'v",
    b'"v',
    b"/v",
    b".so.",
    b"@v",
)
_ADDRESS_WORDS: Final = frozenset(
    {
        b"host",
        b"hosts",
        b"hostname",
        b"ip",
        b"ips",
        b"ipv4",
        b"addr",
        b"address",
        b"addresses",
        b"node",
        b"nodes",
        b"server",
    }
    | {
        b"master",
        b"head",
        b"worker",
        b"from",
        b"to",
        b"at",
        b"on",
        b"connect",
        b"listen",
        b"ping",
        b"ssh",
        b"inet",
        b"via",
    }
    | {
        b"gateway",
        b"nameserver",
        b"peer",
        b"peers",
        b"endpoint",
        b"client",
        b"clients",
        b"bind",
        b"url",
        b"dns",
        b"router",
    }
)
#: programs whose four-part versions are seen in pastes
_PACKAGES: Final = (
    *(
        b"nvidia",
        b"cuda",
        b"vllm",
        b"torch",
        b"tensorrt",
        b"cudnn",
        b"nccl",
        b"triton",
        b"ray",
        b"flash",
        b"xformers",
    ),
    *(
        b"onnx",
        b"opencv",
        b"pynvml",
        b"libc",
        b"lib",
        b"cupy",
        b"nvcc",
        b"driver",
        b"firmware",
        b"vbios",
        b"bios",
    ),
)
_PRIVATE: Final = (b"10.", b"192.168.", b"100.64.", *(b"172.%d." % second for second in range(16, 32)))


def mask_addresses(data: bytes) -> tuple[bytes, int]:
    """Replace IP addresses except loopback, wildcard and broadcast ones, and except version numbers."""
    data, count = _mask_ipv4(data)
    if b"::" in data:
        data, more = substitute(_IPV6_SHORT, _ipv6, data)
        count += more
    if data.count(b":") >= 7:
        data, more = substitute(_IPV6_WHOLE, _ipv6, data)
        count += more
    return data, count


def _mask_ipv4(data: bytes) -> tuple[bytes, int]:
    parts: list[bytes] = []
    count = position = 0
    for seen, found in enumerate(_IPV4.finditer(data)):
        if seen == _JUDGED:
            rest, more = _IPV4_FLOOD.subn(ADDRESS, data[position:])
            return b"".join([*parts, rest]), count + more
        new = _ipv4(found)
        if new is not None:
            parts += [data[position : found.start()], new]
            position = found.end()
            count += 1
    return (b"".join([*parts, data[position:]]), count) if count else (data, 0)


def _ipv4(found: Found) -> bytes | None:
    number = found.group() or b""
    if (
        number.startswith((b"127.", b"255."))
        or number == b"0.0.0.0"
        or any(int(part) > 255 for part in number.split(b"."))
    ):
        return None
    text, start, end = found.string, found.start(), found.end()
    before = text[max(0, start - _CONTEXT) : start]
    before = before[before.rfind(b"\n") + 1 :]
    after = text[end : end + 8]
    if after[:1] in {b".", b"-", b"_", b"+"} and after[1:2].isalnum():
        # More follows, as in `0.9.0.1.dev3`, `12.8.4.1-py3-none`: a version unless the word before says host.
        return ADDRESS if _last_word(before) in _ADDRESS_WORDS else None
    if _says_version(before):
        return None
    if after[:1] in {b":", b"/"} and after[1:2].isdigit():
        return ADDRESS
    return None if _lists_package(before, number) else ADDRESS


def _last_word(before: bytes) -> bytes:
    words = (
        before.replace(b"=", b" ")
        .replace(b":", b" ")
        .replace(b"(", b" ")
        .replace(b"'", b" ")
        .replace(b'"', b" ")
        .split()
    )
    return words[-1].lower() if words else b""


def _says_version(before: bytes) -> bool:
    """Tell whether the text right before a number makes it a version."""
    if before.endswith(_VERSION_MARKS) or before in {b"v", b"V"}:
        return True
    word = _last_word(before).strip(b",.;[]{}")
    if not _ADDRESS_WORDS.isdisjoint(word.replace(b"-", b"_").split(b"_")):
        return False
    if word.endswith(_VERSION_WORDS):
        return True
    if before.endswith((b"://", b"@", b"//")) or _ENV_NAME.search(before) is not None:
        return False
    # `vllm-0.9.0.1`, `vllm/vllm-openai:0.9.0.1`, `nvidia_cublas_cu12-12.8.4.1`
    joined = before.endswith((b"-", b":", b"_", b"=")) and before[-2:-1].isalnum()
    return joined and any(name in _last_token(before) for name in _PACKAGES)


def _last_token(before: bytes) -> bytes:
    tokens = before.split()
    return tokens[-1].lower() if tokens else b""


def _lists_package(before: bytes, number: bytes) -> bool:
    """Tell whether a package's name stands before, as in the output of `pip list` or in prose."""
    name = _last_token(before).strip(b"`'\"*[](),")
    if not name or name in _ADDRESS_WORDS or before.rstrip(b" \t`'\"*").endswith((b":", b"=")):
        return False
    if name.startswith(_PACKAGES):
        return True
    whole_line = before.strip() == name or before.lstrip().startswith((b"[pip3]", b"[conda]"))
    packaged = (
        whole_line
        and before[-2:] == b"  "
        and name.replace(b"-", b"").replace(b"_", b"").replace(b".", b"").isalnum()
    )
    return packaged and not number.startswith(_PRIVATE) and not name[-1:].isdigit()


def _ipv6(found: Found) -> bytes | None:
    text, whole = found.string, (found.group() or b"")
    around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
    if (around.replace(b":", b"")[:2]).strip(b"[]()<>%/,;\"'` \t\r\n=.") or whole.count(b":") < 2:
        return None
    if (
        whole.count(b"::") == 1
        and whole.count(b":") < 3
        and not whole.lower().startswith((b"fe80", b"fc", b"fd", b"2"))
    ):
        return None
    try:
        address = ipaddress.IPv6Address(whole.decode())
    except ValueError:
        return None
    return None if address.is_loopback or address.is_unspecified else ADDRESS
