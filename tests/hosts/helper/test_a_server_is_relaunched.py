"""The seed case from end to end on one host: FlashInfer ends the start, without the variable it serves."""

from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED

UNSET = {"env_unset": [BACKEND]}


def test_a_start_with_flashinfer_dies_with_the_line_that_people_paste(host):
    host.list_server(env={BACKEND: "FLASHINFER"})
    host.start()

    status = host.ended()

    assert status["exit_code"] == 1
    assert REFUSED in status["log"]["text"]


def test_without_the_variable_the_server_serves_and_the_launch_is_kept(host):
    host.list_server(env={BACKEND: "FLASHINFER"})
    host.start()
    host.ended()

    host.stop(run=2)
    started = host.start(UNSET, run=2)
    status = host.serving()
    kept = host.commit(run=2)

    assert "Using FLASH_ATTN backend." in status["log"]["text"]
    assert REFUSED not in status["log"]["text"]
    assert status["running_spec_hash"] == started["spec_hash"] == kept["launch"]["spec_hash"]
    assert BACKEND not in status["running"]["env"]
    assert kept["phase"] == "committed"
    assert host.probe("health")["status"] == 200
    assert MODEL in host.probe("models")["body"]
    assert "Paris" in host.probe("text")["body"]
    assert "Red" in host.probe("image")["body"]
