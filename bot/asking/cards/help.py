"""Cards that say what can be asked, and what a question lacks. Pure."""

from __future__ import annotations

from adapters.chat.interface import Card, Code, CodeKind, Paragraph, Section, Tone
from bot.locale import say
from bot.triage.showing.defang import defang

#: what the examples show, in the order of the help
EXAMPLES = {
    "backends": "/vllm-diagnose backends Qwen3-VL 0.12.0 H100",
    "check": "/vllm-diagnose check vllm serve Qwen/Qwen3-VL-8B-Instruct --max-model-len 32768",
    "servers": "/vllm-diagnose fetch qwen3-vl",
    "help": "/vllm-diagnose help",
}


def help_card(language: str) -> Card:
    """Return what can be asked, each with an example."""
    sections = [
        Section(say("asking.help.paste", language), (Paragraph(say("asking.help.paste.text", language)),))
    ]
    for topic in ("backends", "check", "servers"):
        parts = (Paragraph(say(f"asking.help.{topic}.text", language)), _example(topic, language))
        sections.append(Section(say(f"asking.help.{topic}", language), parts))
    sections.append(Section("", (Paragraph(say("asking.help.mention", language)),)))
    return Card(
        title=say("asking.help.title", language),
        summary=say("asking.help.summary", language),
        sections=tuple(sections),
        language=language,
    )


def need_card(topic: str, problem: str, language: str) -> Card:
    """Return what a question lacks, with an example of one that does not."""
    sentence = defang(problem)
    return Card(
        title=say(f"asking.need.title.{topic}", language),
        summary=sentence,
        tone=Tone.WARNING,
        sections=(Section("", (Paragraph(sentence), _example(topic, language))),),
        language=language,
    )


def _example(topic: str, language: str) -> Code:
    return Code(EXAMPLES[topic], CodeKind.QUOTE, say("asking.example", language))
