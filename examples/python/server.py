"""Python backend. It issues tickets with its application key, and verifies the token of a sign-in."""

import json
import os
import secrets
import time
import urllib.request
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jwt

FIDO = os.environ.get("SERVICEFIDO_URL", "http://localhost:8080")
KEY = os.environ["SERVICEFIDO_KEY"]
RELYING_PARTY = "localhost"
PORT = int(os.environ.get("PORT", "5000"))

# Caches the server's public keys for a minute, which is their max-age.
KEYS = jwt.PyJWKClient(f"{FIDO}/.well-known/jwks.json", lifespan=60)
PAGE = Path(__file__).with_name("index.html").read_text().replace("FIDO_URL", FIDO)

# Replaces your database. Maps a user name to the secret of the browser that is signing up, until the first sign-in.
users: dict[str, str | None] = {}
sessions: dict[str, str] = {}


def issue_ticket(username: str) -> str:
    """Returns a ticket that permits one registration of this user. Requires permission `tickets`."""
    body = {"username": username, "relyingParty": RELYING_PARTY, "ttl": 300}
    request = urllib.request.Request(
        f"{FIDO}/userapi/tickets",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["ticket"]


def signed_in(token: str) -> str:
    """Verifies a token and returns its user name. Raises jwt.PyJWTError if the token is not valid."""
    key = KEYS.get_signing_key_from_jwt(token).key
    options = {"require": ["sub", "exp", "iat", "aud", "iss", "jti"]}
    try:
        # `aud` must be checked: other relying parties of the server have the same issuer and keys.
        # The clock may differ from the server's by 5 seconds.
        claims = jwt.decode(token, key, ["ES256"], options, audience=RELYING_PARTY, issuer=FIDO, leeway=5)
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError) as error:
        unverified = jwt.decode(token, options={"verify_signature": False})
        validity = f"valid from {unverified['iat']} to {unverified['exp']}"
        raise jwt.InvalidTokenError(f"{error}: {validity}, this clock has {time.time():.0f}") from error
    if "txn" in claims:
        raise jwt.InvalidTokenError("The token confirms a transaction. It is no sign-in.")
    return claims["sub"]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/":
            self.answer(PAGE.encode(), "text/html; charset=utf-8")
        elif self.path == "/me" and (user := self.user()):
            self.answer_json({"username": user})
        else:
            self.send_error(HTTPStatus.UNAUTHORIZED if self.path == "/me" else HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        # A form of another site cannot send this content type (protection against CSRF).
        if self.headers.get_content_type() != "application/json":
            return self.send_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/signup":
            self.sign_up(body["username"])
        elif self.path == "/session":
            self.begin_session(body["token"])
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def sign_up(self, username: str) -> None:
        # A user who closed the prompt can continue, but only in the browser that reserved the name.
        secret = self.cookie("signup") or secrets.token_urlsafe(32)
        if users.setdefault(username, secret) != secret:
            return self.send_error(HTTPStatus.CONFLICT)
        cookie = f"signup={secret}; HttpOnly; SameSite=Strict; Path=/signup"
        self.answer_json({"ticket": issue_ticket(username)}, {"Set-Cookie": cookie})

    def begin_session(self, token: str) -> None:
        try:
            KEYS.get_jwk_set()
        except jwt.PyJWKClientError:
            # The token cannot be verified now. The page can send it again.
            return self.send_error(HTTPStatus.SERVICE_UNAVAILABLE)
        try:
            user = signed_in(token)
        except jwt.PyJWTError as error:
            return self.send_error(HTTPStatus.UNAUTHORIZED, str(error))
        users[user] = None
        session = secrets.token_urlsafe(32)
        sessions[session] = user
        # With HTTPS, also set `Secure`.
        cookie = f"session={session}; HttpOnly; SameSite=Lax; Path=/"
        self.answer_json({"username": user}, {"Set-Cookie": cookie})

    def cookie(self, name: str) -> str | None:
        morsel = SimpleCookie(self.headers.get("Cookie", "")).get(name)
        return morsel.value if morsel else None

    def user(self) -> str | None:
        return sessions.get(self.cookie("session") or "")

    def answer_json(self, body: dict, headers: dict | None = None) -> None:
        self.answer(json.dumps(body).encode(), "application/json", headers)

    def answer(self, body: bytes, kind: str, headers: dict | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


print(f"ready at http://localhost:{PORT}", flush=True)
ThreadingHTTPServer(("localhost", PORT), Handler).serve_forever()
