"""Mail through a server elsewhere: TLS from the start or by STARTTLS, signing
in, and nothing in the clear. mail.localhost stands for another machine: its
name is not this one's, and libcurl looks it up on the loopback."""
import pytest

import kit
from aiosmtpd.smtp import AuthResult
from receiver import Authority, Mailbox
from server import Clock, place
from test_deliver import channel, mail_for, notice, queue, settled, tried

USER, PASSWORD = "sayso", "hidden-word in the relay"


def check(server, session, envelope, mechanism, sent):
    good = (sent.login, sent.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=good)


def with_tls(context):
    return {"ssl_context": context, "auth_required": True,
            "auth_require_tls": False, "authenticator": check}


def with_starttls(context):
    return {"tls_context": context, "require_starttls": True,
            "auth_required": True, "authenticator": check}


def in_the_clear(context):
    return {}


@pytest.fixture(scope="module")
def authority():
    one = Authority(place("relays"))
    (one.where / "password").write_text(PASSWORD + "\n")
    return one


@pytest.fixture
def sent(authority, request):
    """The result of a mail by a relay: (its row, the relay's mails)."""
    how, url, settle = request.param
    hosts = "DNS:mail.localhost,IP:127.0.0.1"
    relay = Mailbox(**how(authority.context("relay", hosts)))
    clock = Clock(authority.where / "clock")
    one = kit.Watched(
        place("relay"), SAYSO_CA_FILE=str(authority.file),
        SAYSO_SMTP_URL=f"{url}:{relay.port}", SAYSO_SMTP_USER=USER,
        SAYSO_SMTP_PASSWORD_FILE=str(authority.where / "password"),
        SAYSO_MAIL_FROM="sayso@example.org", **clock.setting).start()
    with one.client("agent", agent="refunds-agent") as client:
        intent = kit.new_intent(client)["id"]
    with one.database("sayso_web") as db:
        to = channel(db, clock, "mail", "ops@example.org")
        row = queue(db, clock, to, intent, type="suspension.asked",
                    body=notice())
        yield settle(db, row), [m for m in mail_for(relay, row)]
    one.stop()
    relay.close()
    assert PASSWORD not in one.log()


@pytest.mark.parametrize("sent", [
    (with_tls, "smtps://127.0.0.1", settled),
    (with_starttls, "smtp://mail.localhost", settled),
], indirect=True, ids=["smtps", "starttls"])
def test_a_mail_by_a_relay_that_knows_us(sent):
    row, mails = sent
    assert row["state"] == "delivered", row
    assert [m[1] for m in mails] == [["ops@example.org"]]


@pytest.mark.parametrize("sent", [
    (in_the_clear, "smtp://mail.localhost", tried),
], indirect=True)
def test_nothing_goes_to_another_machine_in_the_clear(sent):
    row, mails = sent
    assert row["state"] == "pending" and mails == []
