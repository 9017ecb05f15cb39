"""Lets soft-webauthn, py_webauthn and pyotp talk to the service. Prints the number of checks and the findings as JSON."""

import base64
import datetime
import json
import sys
import urllib.error
import urllib.request
from urllib.parse import urlparse

import pyotp
import webauthn
from soft_webauthn import SoftWebauthnDevice
from webauthn.helpers.exceptions import InvalidAuthenticationResponse, InvalidRegistrationResponse

ASKED = json.load(sys.stdin)
URL = ASKED["url"]
RAVI = "usr_10000000000000102"
RP = urlparse(URL).hostname
ALGORITHMS = [webauthn.helpers.cose.COSEAlgorithmIdentifier(each) for each in (-7, -8, -257)]
STATE = {"checks": 0, "findings": []}


def call(path, body=None, method=None, caller="user"):
    """The status and the JSON of the answer."""
    headers = {"authorization": f"Bearer {ASKED[caller]}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def control(path, body=None, method=None):
    status, answer = call(f"/_control/v1{path}", body, method)
    if status >= 400:
        raise RuntimeError(f"{path}: {status} {answer}")
    return answer


def expect(what, holds, shown=""):
    STATE["checks"] += 1
    if not holds:
        STATE["findings"].append(f"{what} {shown}".strip())


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.b64encode(data).decode()


def settings(user_verification):
    row = {
        "provider": "CUSTOM",
        "type": "WEBAUTHN",
        "status": "COMPLETED",
        "enabled": True,
        "provider_key": "WEBAUTHN",
        "key_id": "WEBAUTHN",
        "webauthn_config": {"authenticator_selection": {"user_verification": user_verification}},
    }
    control("/state/connections/conn_10000000000000299", row, "PUT")


def begin(kind):
    """The answer, and its options with bytes, as a browser parses them."""
    _, begun = call(f"/api/v1/webauthn/{kind}:begin", {})
    options = dict(begun["options"])
    options["challenge"] = decoded(options["challenge"])
    if "user" in options:
        options["user"] = {**options["user"], "id": decoded(options["user"]["id"])}
    for credential in options.get("allowCredentials", []):
        credential["id"] = decoded(credential["id"])
    return begun, options


def registration_of(device, origin=URL):
    _, options = begin("registration")
    # The device knows only one algorithm, and refuses a list without it.
    made = device.create({"publicKey": {**options, "attestation": "none"}}, origin)
    return {
        "credential_id": encoded(made["rawId"]),
        "attestation_object": encoded(made["response"]["attestationObject"]),
        "client_data_json": encoded(made["response"]["clientDataJSON"]),
    }


def sign_in_of(device, origin=URL):
    begun, options = begin("authentication")
    options["allowCredentials"] = [{"type": "public-key", "id": device.credential_id}]
    made = device.get({"publicKey": options}, origin)
    return {
        "session_id": begun["session_id"],
        "credential_id": encoded(made["rawId"]),
        "response": {
            "authenticator_data": encoded(made["response"]["authenticatorData"]),
            "client_data_json": encoded(made["response"]["clientDataJSON"]),
            "signature": encoded(made["response"]["signature"]),
            "user_handle": encoded(made["response"]["userHandle"]),
        },
    }


def try_foreign_authenticator():
    """soft-webauthn counts, and never verifies its user."""
    device = SoftWebauthnDevice()
    settings("preferred")
    finish = "/api/v1/webauthn/registration:finish"
    status, answer = call(finish, registration_of(SoftWebauthnDevice(), "https://evil.example"))
    expect("a registration at another origin is refused:", status == 400, answer)
    status, answer = call(finish, registration_of(device))
    expect("soft-webauthn registers:", status == 200, answer)
    finish = "/api/v1/webauthn/authentication:finish"
    status, answer = call(finish, sign_in_of(device))
    expect("soft-webauthn signs in:", status == 200 and answer["user_id"] == RAVI, answer)
    body = sign_in_of(device)
    status, answer = call(finish, body)
    expect("soft-webauthn signs in again:", status == 200, answer)
    status, answer = call(finish, body)
    expect("the same answer is refused:", status == 400, answer)
    device.sign_count = 0
    status, answer = call(finish, sign_in_of(device))
    expect("a counter that went back is refused:", "copied" in answer.get("message", ""), answer)
    settings("required")
    device.sign_count = 9
    status, answer = call(finish, sign_in_of(device))
    expect("a user who is not verified is refused:", "not verified" in answer.get("message", ""), answer)


def signed(options, **wanted):
    """What the software authenticator answers, as a browser would send it to py_webauthn."""
    return control("/passkeys/sign", {"challenge": options["challenge"], **wanted})["body"]


def urlsafe(text):
    return base64.urlsafe_b64encode(base64.b64decode(text + "==")).rstrip(b"=").decode()


def credential_of(body, response):
    identifier = urlsafe(body["credential_id"])
    shown = {name: urlsafe(value) for name, value in response.items()}
    return {"id": identifier, "rawId": identifier, "type": "public-key", "response": shown}


def judged(verify, refusal, options, credential, **more):
    """Whether py_webauthn takes the answer, and what it says."""
    try:
        return verify(
            credential=credential,
            expected_challenge=decoded(options["challenge"]),
            expected_rp_id=RP,
            expected_origin=URL,
            require_user_verification=True,
            **more,
        ), ""
    except refusal as reason:
        return None, str(reason)


def judge_software_authenticator():
    settings("required")
    verify, refusal = webauthn.verify_registration_response, InvalidRegistrationResponse
    algorithms = {"supported_pub_key_algs": ALGORITHMS}

    def register(**wanted):
        _, begun = call("/api/v1/webauthn/registration:begin", {})
        body = signed(begun["options"], **wanted)
        response = {"attestationObject": body["attestation_object"], "clientDataJSON": body["client_data_json"]}
        return judged(verify, refusal, begun["options"], credential_of(body, response), **algorithms)

    known, reason = register()
    expect("py_webauthn takes a registration:", known is not None, reason)
    if known is None:
        return
    for wanted in ({"origin": "https://evil.example"}, {"user_verified": False}):
        refused, _ = register(**wanted)
        expect(f"py_webauthn refuses a registration with {wanted}", refused is None)

    identifier = base64.urlsafe_b64encode(known.credential_id).rstrip(b"=").decode()
    for wanted, right in (({}, True), ({"origin": "https://evil.example"}, False), ({"user_verified": False}, False)):
        _, begun = call("/api/v1/webauthn/authentication:begin", {})
        body = signed(begun["options"], credential_id=identifier, **wanted)
        response = body["response"]
        shown = {
            "authenticatorData": response["authenticator_data"],
            "clientDataJSON": response["client_data_json"],
            "signature": response["signature"],
        }
        key = {
            "credential_public_key": known.credential_public_key,
            "credential_current_sign_count": 0,
        }
        taken, reason = judged(
            webauthn.verify_authentication_response,
            InvalidAuthenticationResponse,
            begun["options"],
            credential_of(body, shown),
            **key,
        )
        expect(f"py_webauthn on a sign-in with {wanted}: {reason}", (taken is not None) == right)


def judge_authenticator_app():
    """pyotp reads the address of a registration, and makes and judges codes."""
    _, made = call("/api/v1/totp/registration", {"user_id": RAVI}, caller="client")
    registration = made["totp_registration"]
    app = pyotp.parse_uri(registration["qr_code_uri"])
    now = datetime.datetime.fromisoformat(control("/clock")["now"].replace("Z", "+00:00"))
    expect("pyotp reads the address:", (app.name, app.issuer) == ("ravi@acme.example", "Scalekit"), app.provisioning_uri())
    expect("pyotp takes the code:", app.verify(control(f"/totp?user={RAVI}")["code"], for_time=now, valid_window=1))
    path = f"/api/v1/totp/{registration['id']}"
    right = call(f"{path}/verify", {"code": app.at(now)}, caller="client")[1]
    expect("a code of pyotp is one of the registration:", right == {"valid": True}, right)
    status, answer = call(f"{path}/enable", {"code": app.at(now)}, caller="client")
    expect("a code of pyotp enables the app:", status == 200, answer)
    verify = f"/api/v1/user/{RAVI}/totp:verify"
    later = app.at(now + datetime.timedelta(seconds=30))
    expect("a code of pyotp is right:", call(verify, {"code": later}, caller="client")[1] == {"valid": True})
    expect("the same code is wrong:", call(verify, {"code": later}, caller="client")[1] == {"valid": False})
    control("/clock/advance", {"by": "2m"})
    last = app.at(now + datetime.timedelta(minutes=2))
    status, answer = call(f"{path}/disable", {"code": last}, caller="client")
    expect("a code of pyotp disables the app:", status == 200, answer)


control("/clock", {"mode": "frozen"}, "PUT")
try_foreign_authenticator()
judge_software_authenticator()
judge_authenticator_app()
print(json.dumps(STATE))
