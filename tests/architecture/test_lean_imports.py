"""What a diagnosis imports: a paste is answered without paying for a web server, a database or a validator."""

import json
import subprocess
import sys

HEAVY = {"aiohttp", "sqlalchemy", "alembic", "jinja2", "asyncio", "pydantic_settings", "hypothesis"}


def test_the_rules_import_no_network_no_clock_and_no_store():
    code = (
        "import sys, json; import rules.engine.diagnose; "
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not HEAVY & set(json.loads(result.stdout))
