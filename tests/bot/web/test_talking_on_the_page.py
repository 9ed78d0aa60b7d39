"""What people do on the page and what they get, over real HTTP: paste, file, form, thread, reconnect."""

import pytest

from bot.store.answers import SqlAnswers
from tests.bot.triage.handmade_engine import DEADLY, ENDLESS
from tests.bot.web.served import REFUSED, a_bot, a_loaded_page, a_page

WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"


def commands_in(card):
    parts = [part for section in card["sections"] for part in section["parts"]]
    return [part["text"] for part in parts if part["part"] == "code" and part["kind"] == "command"]


async def test_a_pasted_traceback_gets_one_card_in_its_thread(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        status, said = await page.say(REFUSED)

        reply = await events.room("reply")

        assert status == 201
        assert reply["thread"] == said["id"]
        assert reply["recipient"] is None
        assert reply["card"]["badges"] == ["certain"]
        assert "unset VLLM_ATTENTION_BACKEND\nvllm serve Qwen/Qwen3-VL-8B-Instruct" in commands_in(
            reply["card"]
        )


async def test_prose_gets_no_answer_unless_somebody_asks(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, said = await page.say("Shall we upgrade vLLM next week?")
        await events.room("mark", id=said["id"], mark="quiet")

        status, _ = await page.post(f"/api/rooms/incidents/messages/{said['id']}/ask", body={})
        reply = await events.room("reply")

        assert status == 202
        assert reply["card"]["tone"] == "good"
        assert reply["recipient"] == "os:ada"


@pytest.mark.parametrize("call", ["/vllm-diagnose all is well", "@vllm-diagnose is this fine?"])
async def test_whoever_calls_the_bot_is_answered(tmp_path, call):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(call)

        assert (await events.room("reply"))["card"]["tone"] == "good"


async def test_a_private_answer_is_not_shown_to_others(tmp_path):
    async with a_bot(tmp_path) as bot, a_page(bot.listener.url) as page:
        await page.load()
        async with page.following() as events:
            await page.say("/vllm-diagnose all is well")
            reply = await events.room("reply")
        await bot.chats.rooms.append(
            "incidents", "reply", "r9", {**reply, "id": "r9", "recipient": "somebody-else"}
        )
        await bot.chats.rooms.append("incidents", "mark", "end", {"id": "x", "mark": "quiet"})

        async with page.following() as events:
            seen = []
            while (event := await events.next())[1].get("id") != "x":
                seen.append(event[1].get("id"))

        assert reply["id"] in seen
        assert "r9" not in seen


async def test_what_the_form_says_is_used(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(REFUSED, release="0.12.0", gpu="T4", model="Qwen/Qwen3-VL-4B-Instruct")

        card = (await events.room("reply"))["card"]

        (fields,) = [part for part in card["sections"][0]["parts"] if part["part"] == "fields"]
        values = {field["value"] for field in fields["fields"]}
        assert {"0.12.0", "T4", "Qwen/Qwen3-VL-4B-Instruct"} <= values


async def test_the_answer_is_in_the_language_of_the_page_or_else_of_the_text(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(REFUSED, language="zh")
        chosen = (await events.room("reply"))["card"]
        await page.say(f"启动失败:\n{REFUSED}")
        written = (await events.room("reply"))["card"]
        await page.say(REFUSED, language="fr")
        fallback = (await events.room("reply"))["card"]

        assert [card["language"] for card in (chosen, written, fallback)] == ["zh", "zh", "en"]
        assert commands_in(chosen) == commands_in(fallback)


async def test_a_dropped_file_is_read_and_then_removed(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        status, _ = await page.say("", files=[("vllm.log", f"INFO ok\n{REFUSED}\n".encode())])

        message = await events.room("message")
        await events.room("reply")
        # events of one thread are handled in order: when the next is marked, the first is done with
        _, later = await page.say("and?", thread=message["id"])
        await events.room("mark", id=later["id"], mark="quiet")

        assert status == 201
        assert message["files"] == [{"name": "vllm.log", "size_bytes": len(REFUSED) + 9}]
        assert list((tmp_path / "uploads").iterdir()) == []


async def test_two_files_are_read_together(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        files = [("a.log", b"vLLM API server version 0.11.2\n"), ("b.log", REFUSED.encode())]
        await page.say("It fails:", files=files)

        card = (await events.room("reply"))["card"]

        assert "0.11.2" in str(card["sections"][0])


async def test_a_large_file_is_read_in_bounded_pieces_and_answered(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        content = b"INFO all is well\n" * 200_000 + REFUSED.encode()
        await page.say("", files=[("vllm.log", content)])

        assert (await events.room("reply"))["card"]["badges"] == ["certain"]


async def test_the_missing_line_sent_later_brings_the_card_up_to_date(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, said = await page.say(WRAPPER)
        first = await events.room("reply")

        await page.say(REFUSED, thread=said["id"])
        edit = await events.room("edit")

        assert first["card"]["tone"] == "warning"
        assert edit["id"] == first["id"]
        assert edit["card"]["badges"] == ["certain"]


async def test_the_answer_to_a_question_brings_the_card_up_to_date(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, said = await page.say(REFUSED)
        first = await events.room("reply")

        await page.say("GPU 0: NVIDIA H100 80GB HBM3", thread=said["id"])
        edit = await events.room("edit")

        assert "nvidia-smi -L" in commands_in(first["card"])
        assert "nvidia-smi -L" not in commands_in(edit["card"])


async def test_chatter_below_an_answer_stays_unanswered(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, said = await page.say(REFUSED)
        await events.room("reply")

        _, chatter = await page.say("Thank you!", thread=said["id"])
        mark = await events.room("mark", id=chatter["id"], mark="quiet")

        assert mark


async def test_a_file_and_a_later_message_are_read_together(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, said = await page.say("", files=[("vllm.log", REFUSED.encode())])
        await events.room("reply")

        await page.say("GPU 0: NVIDIA H100 80GB HBM3", thread=said["id"])
        edit = await events.room("edit")

        assert edit["card"]["badges"] == ["certain"]
        assert "H100" in str(edit["card"]["sections"][0])


async def test_the_same_message_sent_twice_is_said_and_answered_once(tmp_path):
    async with a_bot(tmp_path) as bot, a_page(bot.listener.url) as page:
        await page.load()
        async with page.following() as events:
            await page.say(REFUSED, key="abc123")
            await page.say(REFUSED, key="abc123")
            await events.room("mark", mark="answered")

        kept = await bot.chats.rooms.around.log.after(0, 100)

        assert [event.kind for event in kept if event.kind != "mark"] == ["message", "reply"]


async def test_secrets_are_masked_before_anything_is_kept_or_shown(tmp_path):
    secret = "hf_abcdefgh12345678"
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(f"export HF_TOKEN={secret}\n{REFUSED}", files=[("a.log", f"{secret}\n".encode())])
        message = await events.room("message")
        card = (await events.room("reply"))["card"]
        # events of one thread are handled in order: when the next is marked, the first is done with
        _, later = await page.say("and?", thread=message["id"])
        await events.room("mark", id=later["id"], mark="quiet")

        assert secret not in message["text"]
        assert "One secret was masked" in str(card)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert REFUSED.encode() in kept
    assert secret.encode() not in kept


async def test_a_page_that_was_away_gets_what_it_missed_and_nothing_twice(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        async with page.following() as events:
            await page.say("first")
            await events.room("message", text="first")
            left_at = events.last_id
        await page.say("second")
        await page.say("third")

        async with page.following(last_event_id=left_at) as events:
            texts = [(await events.room("message"))["text"] for _ in range(2)]

        assert texts == ["second", "third"]


async def test_what_was_said_survives_a_restart(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(REFUSED)
        first = await events.room("reply")

    async with a_loaded_page(tmp_path) as page, page.following() as events:
        assert (await events.room("reply"))["id"] == first["id"]


async def test_what_was_kept_but_not_answered_is_answered_after_a_restart(tmp_path):
    async with a_bot(tmp_path, triage={"timeout_s": 600}) as bot, a_page(bot.listener.url) as page:
        await page.load()
        await page.say(f"{REFUSED}\n{ENDLESS}", key="stuck")
        async with bot.database.writing() as connection:
            text = "UPDATE inbox SET payload = json_set(payload, '$.text', ?)"
            await connection.exec_driver_sql(text, (REFUSED,))

    async with a_loaded_page(tmp_path) as page, page.following() as events:
        assert (await events.room("reply"))["thread"] == "stuck"


async def test_a_paste_that_kills_its_worker_stops_nobody_else(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        _, deadly = await page.say(f"/vllm-diagnose {DEADLY}")
        await page.say(REFUSED)

        replies = [await events.room("reply") for _ in range(2)]
        await events.room("mark", id=deadly["id"], mark="failed")

        tones = {reply["thread"] == deadly["id"]: reply["card"]["tone"] for reply in replies}
        assert tones == {True: "warning", False: "bad"}


async def test_a_paste_that_is_read_too_long_is_given_up_with_a_sentence(tmp_path):
    async with a_loaded_page(tmp_path, triage={"timeout_s": 3}) as page, page.following() as events:
        _, said = await page.say(f"/vllm-diagnose {ENDLESS}")

        reply = await events.room("reply")

        assert reply["thread"] == said["id"]
        assert "3 seconds" in reply["card"]["summary"]


async def test_calling_an_answer_wrong_is_counted_for_its_rule(tmp_path):
    async with a_bot(tmp_path) as bot, a_page(bot.listener.url) as page:
        await page.load()
        async with page.following() as events:
            _, said = await page.say(REFUSED)
            reply = await events.room("reply")
            (button,) = reply["card"]["buttons"]
            click = {
                "message": reply["id"],
                "thread": said["id"],
                **{k: button[k] for k in ("action", "value")},
            }
            status, _ = await page.post("/api/rooms/incidents/clicks", body=click)
            # events of one thread are handled in order
            _, later = await page.say("it did not help", thread=said["id"])
            await events.room("mark", id=later["id"], mark="quiet")

        assert status == 202
        assert await SqlAnswers(bot.database).wrong_by_rule() == {"vit-backend-rejected": 1}
