"""A stage with its bot, a registry, and a host of its own whose server can be relaunched. Not tests."""

import asyncio
import json
import sys

from bot.store.journal import SqlJournal
from tests.hosts.helper.gpu_host import MODEL, ROOT

PATIENCE_S = 90.0
ROOM = "general"


class Team:
    """A stage with its bot, and a host whose server has just died of FlashInfer."""

    def __init__(self, stage, host, folder):
        self.stage = stage
        self.host = host
        self.registry = folder / "hosts.yaml"

    def write_registry(self, ann, bob, channel, **server):
        helper = self.host.folder / "helper.json"
        command = ["env", f"VLLM_DIAGNOSE_HELPER_CONFIG={helper}", sys.executable, "-I", "-S"]
        command += [str(ROOT / "adapters/hosts/helper/__main__.py"), "serve-request"]
        entry = {
            "name": self.host.name,
            "driver": "process",
            "port": self.host.port,
            "model": MODEL,
            "vllm_version": "0.11.2",
            "gpu_name": "H100",
            "expected_start_seconds": 30,
            "operations": ["relaunch"],
            "approvers": ["lead"],
            "channels": [channel],
            **server,
        }
        text = {
            "version": 1,
            "access": {
                "roles": {"oncall": [ann], "lead": [bob]},
                "grants": [
                    {"role": "oncall", "may": ["view", "request", "cancel"], "host_groups": ["lab"]},
                    {"role": "lead", "may": ["view", "approve", "reject", "cancel"], "host_groups": ["lab"]},
                ],
            },
            "hosts": [
                {
                    "name": "gpu1",
                    "group": "lab",
                    "owner": "ada",
                    "transport": "local",
                    "helper": command,
                    "servers": [entry],
                }
            ],
        }
        self.registry.write_text(json.dumps(text))

    async def shows(self, word, patience_s=PATIENCE_S):
        """Wait until some card says it, and return that card as it is."""
        async with asyncio.timeout(patience_s):
            while True:
                await self.stage.settled(PATIENCE_S)
                for answer in self.stage.answers(ROOM):
                    if word in answer.text:
                        return answer
                await asyncio.sleep(0.1)

    async def journalled(self):
        database = self.stage.bot.bot.database
        links = SqlJournal(database, self.stage.bot.bot.acting.journal._keys).links()
        return [json.loads(link.record) async for link in links]
