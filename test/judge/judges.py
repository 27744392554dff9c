"""The judges in Python: one JSON question per line on stdin, one JSON answer per line on stdout."""

import base64
import email
import email.policy
import email.utils
import hashlib
import json
import sys
import traceback
from datetime import datetime, timezone
from email.header import decode_header, make_header


def dkim_verify(argument):
    """{message: base64, keys: {name: [TXT values]}} -> "pass" or why it fails, by dkimpy (RFC 6376)."""
    import dkim

    def txt(name, timeout=5):
        name = name.decode() if isinstance(name, bytes) else name
        values = argument["keys"].get(name.rstrip("."), [])
        return values[0].encode() if values else None

    verifier = dkim.DKIM(base64.b64decode(argument["message"]))
    try:
        return "pass" if verifier.verify(dnsfunc=txt) else "fail"
    except dkim.DKIMException as error:
        return f"fail: {error}"


def parse_message(argument):
    """{message: base64} -> what Python's email package reads (RFC 5322, 2047, 2045)."""
    message = email.message_from_bytes(base64.b64decode(argument["message"]), policy=email.policy.default)
    html = message.get_body(("html",))
    sender = message["From"].addresses[0]
    # The default policy puts a space between two adjacent encoded words of a display name (RFC 2047 section 6.2 has none).
    raw_name, _ = email.utils.parseaddr(email.message_from_bytes(base64.b64decode(argument["message"]))["From"])
    name = str(make_header(decode_header(raw_name))) if raw_name.startswith("=?") else sender.display_name
    return {
        "subject": message["Subject"],
        "from_name": name,
        "from_address": sender.addr_spec,
        "to": [address.addr_spec for address in message["To"].addresses],
        "text": with_line_feeds(message.get_body(("plain",)).get_content()),
        "html": None if html is None else with_line_feeds(html.get_content()),
        "attachments": sorted(
            [part.get_filename(), part.get_content_type(), part["Content-ID"], hashlib.sha256(part.get_payload(decode=True)).hexdigest()]
            for part in message.walk()
            if part.get_filename() is not None
        ),
        "headers": {name: str(value) for name, value in message.items()},
        "defects": [type(defect).__name__ for part in message.walk() for defect in part.defects]
        + [type(defect).__name__ for value in message.values() for defect in value.defects],
    }


def with_line_feeds(text):
    """Line ends are CRLF on the wire, whatever they are in the text."""
    return text.replace("\r\n", "\n")


def ask_server(port):
    """Makes the judges ask the name server at this port of 127.0.0.1."""
    import dns.resolver

    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = port
    dns.resolver.default_resolver = resolver


def spf_check(argument):
    """{address, sender, helo, port} -> the result and its reason, by pyspf (RFC 7208)."""
    import spf

    ask_server(argument["port"])
    result, reason = spf.check2(i=argument["address"], s=argument["sender"], h=argument["helo"])
    return f"{result}: {reason}"


def dkim_check(argument):
    """{message: base64, port} -> "pass" or why it fails, by dkimpy with the key from DNS."""
    import dkim

    ask_server(argument["port"])
    try:
        return "pass" if dkim.DKIM(base64.b64decode(argument["message"])).verify() else "fail"
    except dkim.DKIMException as error:
        return f"fail: {error}"


def webhook_verify(argument):
    """{body, headers, secret} -> "accepted" or why it is refused, by the reference library of Standard Webhooks."""
    from standardwebhooks.webhooks import Webhook, WebhookVerificationError

    try:
        Webhook(argument["secret"]).verify(argument["body"], argument["headers"])
        return "accepted"
    except WebhookVerificationError as error:
        return f"refused: {error}"


def webhook_sign(argument):
    """{id, at: seconds, body, secret} -> the signature header."""
    from standardwebhooks.webhooks import Webhook

    at = datetime.fromtimestamp(argument["at"], tz=timezone.utc)
    return Webhook(argument["secret"]).sign(argument["id"], at, argument["body"])


def markdown_reading(text):
    """Markdown -> its comments as they stand in HTML blocks and inlines, and its ATX headings, by markdown-it-py."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    html = [token.content for token in tokens if token.type == "html_block"]
    html += [
        child.content for token in tokens for child in token.children or [] if child.type == "html_inline"
    ]
    headings = sum(token.type == "heading_open" and token.markup.startswith("#") for token in tokens)
    return {"html": html, "headings": headings}


JUDGES = {
    function.__name__: function
    for function in (dkim_verify, dkim_check, spf_check, parse_message, webhook_verify, webhook_sign, markdown_reading)
}

for line in sys.stdin:
    question = json.loads(line)
    try:
        reply = {"answer": JUDGES[question["name"]](question["argument"])}
    except Exception:  # An error of one question must not end the others.
        reply = {"error": traceback.format_exc()}
    print(json.dumps(reply))
