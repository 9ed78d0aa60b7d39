"""Working servers over real sockets that the unmodified chat libraries talk to, and the stage they offer.

`slack.workspace.Workspace` and `discord.world.World` are the servers; `stage.Stage` is the language in
which one scenario plays on all of them. Each is tested itself, in `tests/fakes_selftests`, with the real
slack_bolt and the real discord.py. Nothing here knows the bot under test.

**simcord beside the fake Discord.** simcord 3.2 replaces discord.py's HTTP client and feeds its parsers:
real trees, views, modals, cache, permissions and time, but no socket, no RESUME, no 429. So the fake proves
the way, simcord proves the rules of interactions: 10062 after three seconds of virtual time, 40060 on a
second answer, 50013 for missing permissions, commands that were never synced, persistent views over
`restart_bot`, ephemeral visibility. How it must run:

- In a pytest process of its own. It replaces `create_task`, `call_soon` and `call_at` of the running loop
  and `time.monotonic` of the process; aiohttp servers, and every timer of other tests, would wait for a
  virtual clock.
- Its pytest plugin loads itself into every run and imports discord.py, whose `audioop` warning is an error
  here. Ordinary runs: `-p no:simcord`. Its own run: `pytest -p no:simcord -p simcord.pytest_plugin
  tests/simcord`.
- discord.py must be let in by name: `ignore:'audioop' is deprecated:DeprecationWarning` (Python 3.11 and
  3.12).
- A fixture `simcord_bot` returns the client, unstarted; `simcord_env` is the running world. `setup_hook`
  must sync the tree, or `member.slash(...)` fails, as it should.
- Every act settles: `await ann.slash(channel, "vllm-diagnose", text=…)` returns when the bot is idle. Work
  in a ProcessPoolExecutor is waited for as well (tried; spawn context). Other outside waits need
  `env.external_wait`.
- After a deferral the first follow-up is `result.response`, and `result.deferred` is False again once it is
  filled.
- Time moves by `await env.advance_time(seconds)`. Attachments are `(name, bytes)` tuples, also as slash
  options.
- Errors of the bot fail the test at its end; read `env.errors` and call `raise_errors` where one is
  expected.
- Unknown routes raise `RouteNotImplemented`: use bulk `tree.sync()`, not the upsert of a single command.
"""
