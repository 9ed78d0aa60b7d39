"""A probe goes to the server's own port and nowhere else, in a time and a size, whatever the server says."""

import json
import os
import re
import socket
import threading

import pytest

from adapters.hosts.helper.probing.http import BODY_LIMIT, Door, ask
from adapters.hosts.helper.probing.questions import question
from tests.hosts.helper.certificates import self_signed
from tests.hosts.helper.gpu_host import MODEL

FAULTS = {
    "engine-dead": lambda host: (host.probe("health")["status"], host.probe("text")["status"]) == (200, 500),
    "wrong-model": lambda host: MODEL not in host.probe("models")["body"],
    "empty-completion": lambda host: json.loads(host.probe("text")["body"])["choices"][0]["text"] == "",
    "repeated-token": lambda host: set(json.loads(host.probe("text")["body"])["choices"][0]["text"]) == {"!"},
    "endless-completion": lambda host: "longer" in host.probe("text")["trouble"],
    "cut-completion": lambda host: "breaks off" in host.probe("text")["trouble"],
    "late-completion": lambda host: host.probe("text", timeout_s=0.5)["status"] is None,
    "endless-health": lambda host: "longer" in host.probe("health")["trouble"],
    "redirected-completion": lambda host: host.probe("text")["status"] == 307,
    "page-for-completion": lambda host: "html" in host.probe("text")["content_type"],
    "no-vision": lambda host: (host.probe("text")["status"], host.probe("image")["status"]) == (200, 500),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_server_is_seen(host, fault):
    host.list_server(f"--standin-faults={fault}")
    host.serve()

    assert FAULTS[fault](host)


def test_an_engine_that_hangs_costs_no_more_than_the_time_given(host):
    host.list_server("--standin-faults=engine-hung")
    host.serve()

    answer = host.probe("text", timeout_s=0.5)

    assert host.probe("health")["status"] == 200
    assert answer["status"] is None
    assert "0.5 seconds" in answer["trouble"]


def test_a_redirect_is_an_answer_and_is_not_followed(host):
    host.list_server("--standin-faults=redirects")
    host.serve()

    assert host.probe("health")["status"] == 302


def test_a_proxy_of_the_environment_is_not_used(host, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    host.serve()

    assert host.probe("health")["status"] == 200


def test_a_server_that_listens_on_one_address_is_asked_there(host):
    host.list_server("--host=127.0.0.2")
    host.serve()

    assert host.probe("health")["status"] == 200


@pytest.fixture
def certificate(tmp_path):
    """The words of a command line that make a server speak TLS."""
    key_file, certificate_file = self_signed(tmp_path)
    return f"--ssl-keyfile={key_file}", f"--ssl-certfile={certificate_file}"


def test_a_server_with_a_certificate_is_asked_over_tls(host, certificate):
    host.list_server(*certificate)
    host.serve()

    answers = [host.probe(kind) for kind in ("health", "models", "text", "image")]

    assert [(answer["status"], answer["trouble"]) for answer in answers] == [(200, "")] * 4


def test_a_server_that_wants_a_certificate_of_its_clients_is_said_to(host, certificate):
    host.list_server(*certificate, f"--ssl-ca-certs={certificate[1].partition('=')[2]}")
    host.serve()

    answer = host.probe("health")

    assert answer["status"] is None
    # the server says so and hangs up; the second may be heard first
    assert re.search("certificate required|broke it off|reset|pipe", answer["trouble"], re.IGNORECASE)


def test_a_server_that_speaks_no_tls_where_it_should_is_said_to(liar):
    answer = ask(Door("127.0.0.1", liar([OK + b"\r\n{}"]), is_tls=True), "GET", "/", {}, b"", 20)

    assert answer.status is None
    assert answer.trouble.startswith("the TLS connection failed: ")


def test_an_answer_says_how_it_was_sent_and_what_was_asked(host):
    host.serve()

    models, text, image = (host.probe(kind) for kind in ("models", "text", "image"))

    assert {one["content_type"] for one in (models, text, image)} == {"application/json"}
    assert models["asked"] == ""
    assert text["asked"] in question("text", MODEL).body.decode()
    assert image["asked"] in question("image", MODEL).body.decode()


def test_an_answer_proves_nothing_while_somebody_else_listens_on_the_port(host):
    host.serve()
    with socket.create_server(("127.0.0.2", host.port)):
        answer = host.probe("health")

    assert str(os.getpid()) in answer["trouble"]
    assert host.probe("health")["trouble"] == ""


def test_another_model_than_is_served_is_told_by_the_server(host):
    host.serve()

    assert host.probe("text", model="another/model")["status"] == 404


def test_nothing_listens_and_that_is_said(host):
    answer = host.probe("health")

    assert (answer["status"], answer["body"]) == (None, "")
    assert answer["trouble"] == "nothing listens on the port"


@pytest.fixture
def liar():
    """A server that says to everybody what a test gives it; the sender goes on until the asker hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    parts: list = []

    def serve():
        while True:
            try:
                visitor, _ = listener.accept()
            except OSError:
                return
            with visitor:
                visitor.recv(65536)
                try:
                    for part in parts[0]:
                        visitor.sendall(part)
                except OSError:
                    continue

    thread = threading.Thread(target=serve)
    thread.start()

    def say(sent):
        parts[:] = [sent]
        return listener.getsockname()[1]

    yield say
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(30)


def endless(part: bytes):
    while True:
        yield part


OK = b"HTTP/1.1 200 OK\r\n"
ANSWERS = {
    "with its length": [OK + b"Content-Length: 2\r\n\r\n{}"],
    "in chunks": [OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"1\r\n}\r\n0\r\n\r\n"],
    "without a length": [OK + b"\r\n{}"],
    "byte by byte": [bytes([byte]) for byte in OK + b"Content-Length: 2\r\n\r\n{}"],
}


@pytest.mark.parametrize("how", ANSWERS)
def test_an_answer_is_read_however_it_comes(liar, how):
    answer = ask(Door("127.0.0.1", liar(ANSWERS[how])), "GET", "/", {}, b"", 20)

    assert (answer.status, answer.body, answer.trouble) == (200, b"{}", "")


SPOILED = {
    "nothing": [],
    "no HTTP": [b"SSH-2.0-OpenSSH_9.2\r\n"],
    "headers without end": endless(b"X: y\r\n"),
    "a header line without end": endless(b"x" * 65536),
    "a status that is none": [b"HTTP/1.1 abc\r\n\r\n"],
}


@pytest.mark.parametrize("how", SPOILED)
def test_what_is_no_answer_is_told_in_a_sentence(liar, how):
    answer = ask(Door("127.0.0.1", liar(SPOILED[how])), "GET", "/", {}, b"", 20)

    assert answer.status is None
    assert answer.trouble


def test_a_body_that_breaks_off_is_what_came_and_said_to_be_no_whole_answer(liar):
    for sent in (
        OK + b"Content-Length: 100\r\n\r\n{}",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n",
    ):
        answer = ask(Door("127.0.0.1", liar([sent])), "GET", "/", {}, b"", 20)

        assert (answer.status, answer.body) == (200, b"{}")
        assert answer.trouble == "the answer breaks off"


@pytest.mark.parametrize("head", [b"", b"Content-Length: 99999999\r\n", b"X-Content-Length: 1\r\n"])
def test_a_body_that_is_too_long_is_said_to_be(liar, head):
    answer = ask(
        Door("127.0.0.1", liar(endless(OK + head + b"\r\n" + b"x" * 65536))), "GET", "/", {}, b"", 20
    )

    assert (answer.status, len(answer.body)) == (200, BODY_LIMIT)
    assert answer.trouble == "the answer is longer than 64 KiB"


@pytest.mark.parametrize("size", [BODY_LIMIT - 1, BODY_LIMIT])
def test_a_body_of_the_size_that_is_read_is_whole(liar, size):
    sent = OK + b"Content-Length: %d\r\nContent-Type: application/json\r\n\r\n" % size + b"x" * size
    answer = ask(Door("127.0.0.1", liar([sent])), "GET", "/", {}, b"", 20)

    assert (len(answer.body), answer.trouble, answer.content_type) == (size, "", "application/json")


def test_a_chunk_that_ends_like_the_last_one_is_not_taken_for_it(liar):
    sent = [OK + b"Transfer-Encoding: chunked\r\n\r\n8\r\n{ 0\r\n\r\n", b"}\r\n0\r\n\r\n"]
    answer = ask(Door("127.0.0.1", liar(sent)), "GET", "/", {}, b"", 20)

    assert (answer.body, answer.trouble) == (b"{ 0\r\n\r\n}", "")


def test_a_body_without_end_is_cut(liar):
    answer = ask(Door("127.0.0.1", liar(endless(OK + b"\r\n" + b"x" * 65536))), "GET", "/", {}, b"", 20)

    assert answer.status == 200
    assert len(answer.body) <= BODY_LIMIT


def test_a_question_about_a_picture_holds_a_sound_one():
    body = json.loads(question("image", MODEL).body)
    url = body["messages"][0]["content"][1]["image_url"]["url"]

    assert url.startswith("data:image/png;base64,iVBORw0KGgo")
    assert len(question("image", MODEL).body) < 4096
