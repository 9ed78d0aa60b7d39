"""The engine's own remarks in both languages: limits, contradictions, rules that lost. Not texts of rules."""

from collections.abc import Mapping

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "absorbed": "line {line} is a consequence of {by}",
        "silent": "its text is not in the paste",
        "incomplete": "a part of what it needs is in the paste, but not all of it",
        "elsewhere": "it stands on line {line}, which is not the root cause",
        "outranked": "the same line says more exactly what {by} describes",
        "no-effect": "line {line} stops nothing",
        "wrapper": "line {line} only says that something failed before it",
        "contradiction.release": (
            "vLLM {release} does not print the text of line {line}; releases {releases} do. "
            "Only what helps in all of them is offered: check which release really runs."
        ),
        "cause.contradicted": (
            "vLLM {release} does not print this text, releases {releases} do: another release than the one "
            "named is running, or the line comes from another server. Find out which release runs first, for "
            "the cause and its fix depend on it."
        ),
        "cap.rules": "A limit was reached while looking for {rules}: later lines were not checked.",
        "cap.partial": (
            "The input is larger than {limit} MiB or has very many lines: only the start, the end and "
            "the lines around hits and errors were read, and wrapped lines were not joined."
        ),
        "cap.dropped": "Too many lines looked like failures: only the first and the last were read.",
        "cap.line": "A very long line was cut.",
        "outside.facts": (
            "vLLM {release} lies outside the releases with facts ({first} to {last}): "
            "fixes that depend on the release are left out."
        ),
        "between.releases": (
            "vLLM {release} lies between releases with facts: "
            "only what holds in both {first} and {last} is said."
        ),
        "facts.two-releases": "The paste names two vLLM releases, {first} and {second}: {first} was used.",
        "facts.two-releases-unused": "The paste names vLLM {first} and {second}: neither was used.",
        "facts.two-gpus-unused": "The paste names two GPUs, {first} and {second}: neither was used.",
        "facts.two-gpus": "The paste names two GPUs, {first} and {second}: {first} was used.",
        "facts.two-values": "The paste gives {name} two values, {first} and {second}.",
        "facts.given-release-overruled": "The paste says vLLM {paste}, you said {given}: {paste} was used.",
        "facts.given-gpu-overruled": "The paste says {paste}, you said {given}: {paste} was used.",
        "facts.release-unreadable": "`{given}` could not be read as a vLLM release and was not used.",
        "facts.release-incomplete": "`{given}` names several releases: what holds in all of them is said.",
        "facts.gpu-unreadable": "`{given}` could not be read as a GPU and was not used.",
        "facts.command-unreadable": "The launch command could not be read and was not used.",
    },
    "zh": {
        "absorbed": "第 {line} 行是 {by} 的后果",
        "silent": "粘贴的内容里没有它的文本",
        "incomplete": "它所需的文本只出现了一部分",
        "elsewhere": "它出现在第 {line} 行，而那一行不是根本原因",
        "outranked": "同一行更准确地符合 {by}",
        "no-effect": "第 {line} 行不会使任何东西停止",
        "wrapper": "第 {line} 行只说明在它之前有别的地方失败",
        "contradiction.release": (
            "vLLM {release} 不会打印第 {line} 行的文本，会打印它的版本是 {releases}。"
            "只给出在这些版本中都有效的修复：请确认实际运行的版本。"
        ),
        "cause.contradicted": (
            "vLLM {release} 不会打印这段文本，会打印它的版本是 {releases}：实际运行的不是所说的版本，"
            "或者这一行来自另一台服务器。请先确认实际运行的版本，原因和修复都取决于它。"
        ),
        "cap.rules": "查找 {rules} 时达到上限：其后的行没有再为它们检查。",
        "cap.partial": (
            "输入超过 {limit} MiB 或行数过多：只读取了开头、结尾以及命中和错误附近的行，折行没有合并。"
        ),
        "cap.dropped": "看起来像失败的行太多：只读取了最前和最后的部分。",
        "cap.line": "有一行过长，已被截断。",
        "outside.facts": ("vLLM {release} 不在已有资料的版本（{first} 到 {last}）之内：省略依赖版本的修复。"),
        "between.releases": (
            "vLLM {release} 介于有资料的版本之间：只说明在 {first} 和 {last} 中都成立的内容。"
        ),
        "facts.two-releases": "粘贴的内容里有两个 vLLM 版本：{first} 和 {second}，采用 {first}。",
        "facts.two-releases-unused": "粘贴的内容里有两个 vLLM 版本：{first} 和 {second}，均未采用。",
        "facts.two-gpus-unused": "粘贴的内容里有两种 GPU：{first} 和 {second}，均未采用。",
        "facts.two-gpus": "粘贴的内容里有两种 GPU：{first} 和 {second}，采用 {first}。",
        "facts.two-values": "粘贴的内容里 {name} 有两个值：{first} 和 {second}。",
        "facts.given-release-overruled": "粘贴的内容是 vLLM {paste}，而您给出的是 {given}：采用 {paste}。",
        "facts.given-gpu-overruled": "粘贴的内容是 {paste}，而您给出的是 {given}：采用 {paste}。",
        "facts.release-unreadable": "无法将“{given}”识别为 vLLM 版本，未采用。",
        "facts.release-incomplete": "“{given}”对应多个版本：只说明在所有这些版本中都成立的内容。",
        "facts.gpu-unreadable": "无法将“{given}”识别为 GPU，未采用。",
        "facts.command-unreadable": "无法识别启动命令，未采用。",
    },
}


def remark(key: str, language: str, **values: object) -> str:
    """Return one sentence; English where the language is not known."""
    return _SENTENCES.get(language, _SENTENCES["en"])[key].format_map(values)
