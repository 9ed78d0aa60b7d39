"""The one entrance to masking, and the order of its passes. What is private is said in its neighbours."""

from typing import Final

from rules.engine.paste.masking import addresses, credentials, people, tokens

#: credentials inside longer texts come first, so that a later pass does not see half of one
_PASSES: Final = (
    tokens.mask_private_keys,
    credentials.mask_urls,
    credentials.mask_headers,
    credentials.mask_flags,
    credentials.mask_assignments,
    tokens.mask_tokens,
    people.mask_people,
    addresses.mask_addresses,
)


def mask(text: str) -> tuple[str, int]:
    """Return the text with secrets, user names and addresses replaced, and how many were.

    Newlines are kept, so line numbers hold. Masking a masked text changes nothing. Loopback and wildcard
    addresses and four-part version numbers stay.
    """
    data = text.encode("utf-8", "surrogatepass")
    count = 0
    for mask_pass in _PASSES:
        data, masked = mask_pass(data)
        count += masked
    return (data.decode("utf-8", "surrogatepass"), count) if count else (text, 0)
