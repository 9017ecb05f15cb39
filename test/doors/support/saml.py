"""Service providers and an identity provider of others. A line of JSON asks, a line of JSON answers."""
import datetime
import json
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from onelogin.saml2.auth import OneLogin_Saml2_Auth
from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser
from onelogin.saml2.xml_utils import OneLogin_Saml2_XML
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.client import Saml2Client
from saml2.config import IdPConfig, SPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NameID
from saml2.server import Server

XMLSEC = "/usr/bin/xmlsec1"
FOLDER = Path(tempfile.mkdtemp())
STATE = {}


def own_key(name):
    """The files of a new key and its certificate."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    title = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(title)
        .issuer_name(title)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files = FOLDER / f"{name}.key", FOLDER / f"{name}.crt"
    files[0].write_bytes(key.private_bytes(pem, *plain))
    files[1].write_bytes(certificate.public_bytes(pem))
    return [str(file) for file in files]


def python3_saml(asked, form=None):
    settings = OneLogin_Saml2_IdPMetadataParser.parse(asked["metadata"])
    acs = {"url": asked["acs"], "binding": BINDING_HTTP_POST}
    settings["sp"] = {"entityId": asked["entity"], "assertionConsumerService": acs}
    if "key" in asked:
        settings["sp"]["privateKey"] = asked["key"]
        settings["sp"]["x509cert"] = asked["certificate"]
    settings["strict"] = True
    settings["security"] = {"wantAssertionsSigned": asked.get("signed", "both") != "response"}
    address = urlparse(asked["acs"])
    request = {"https": "off", "http_host": address.netloc, "script_name": address.path, "get_data": {}}
    return OneLogin_Saml2_Auth({**request, "post_data": form or {}}, settings)


def python3_saml_request(asked):
    auth = python3_saml(asked)
    return {"url": auth.login(return_to="relay-1"), "id": auth.get_last_request_id()}


def python3_saml_response(asked):
    auth = python3_saml(asked, {"SAMLResponse": asked["response"]})
    auth.process_response(request_id=asked["id"])
    if not auth.is_authenticated():
        raise ValueError(f"{auth.get_errors()} {auth.get_last_error_reason()}")
    return {"name": auth.get_nameid(), "attributes": auth.get_attributes()}


def service_key(asked):
    key, certificate = own_key("service")
    return {"key": Path(key).read_text(), "certificate": Path(certificate).read_text()}


def python3_saml_slo(asked, query):
    auth_settings = OneLogin_Saml2_IdPMetadataParser.parse(asked["metadata"])
    auth_settings["sp"] = {
        "entityId": asked["entity"],
        "assertionConsumerService": {"url": asked["acs"], "binding": BINDING_HTTP_POST},
        "singleLogoutService": {"url": asked["slo"], "binding": BINDING_HTTP_REDIRECT},
        "privateKey": asked["key"],
        "x509cert": asked["certificate"],
    }
    auth_settings["strict"] = True
    auth_settings["security"] = {"logoutRequestSigned": True, "wantMessagesSigned": True, "rejectDeprecatedAlgorithm": True}
    address = urlparse(asked["slo"])
    request = {"https": "off", "http_host": address.netloc, "script_name": address.path, "get_data": query, "post_data": {}}
    return OneLogin_Saml2_Auth(request, auth_settings)


def python3_saml_logout(asked):
    auth = python3_saml_slo(asked, {})
    return {"url": auth.logout(return_to="relay-1", name_id=asked["name"]), "id": auth.get_last_request_id()}


def python3_saml_logout_response(asked):
    auth = python3_saml_slo(asked, asked["query"])
    auth.process_slo(keep_local_session=True, request_id=asked["id"])
    if auth.get_errors():
        raise ValueError(f"{auth.get_errors()} {auth.get_last_error_reason()}")
    return {}


def pysaml2_client(asked):
    if "client" not in STATE:
        key, certificate = own_key("sp")
        endpoints = {"assertion_consumer_service": [(asked["acs"], BINDING_HTTP_POST)]}
        service = {
            "endpoints": endpoints,
            "allow_unsolicited": False,
            "want_response_signed": False,
            "want_assertions_signed": False,
            "want_assertions_or_response_signed": True,
            "allow_unknown_attributes": True,
        }
        config = SPConfig()
        config.load(
            {
                "entityid": asked["entity"],
                "metadata": {"inline": [asked["metadata"]]},
                "xmlsec_binary": XMLSEC,
                "key_file": key,
                "cert_file": certificate,
                "allow_unknown_attributes": True,
                "service": {"sp": service},
            }
        )
        STATE["client"] = Saml2Client(config)
    return STATE["client"]


def pysaml2_request(asked):
    request_id, http = pysaml2_client(asked).prepare_for_authenticate(relay_state="relay-1", binding=BINDING_HTTP_REDIRECT)
    return {"url": dict(http["headers"])["Location"], "id": request_id}


def pysaml2_response(asked):
    outstanding = {asked["id"]: "/"}
    answer = pysaml2_client(asked).parse_authn_request_response(asked["response"], BINDING_HTTP_POST, outstanding=outstanding)
    return {"name": answer.get_subject().text, "attributes": answer.ava}


def provider(asked):
    """Opens an identity provider that knows the metadata of one service."""
    key, certificate = own_key("idp")
    config = IdPConfig()
    policy = {"lifetime": {"minutes": 15}, "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:basic"}
    sso = {"single_sign_on_service": [(asked["sso"], BINDING_HTTP_REDIRECT), (asked["sso"], BINDING_HTTP_POST)]}
    config.load(
        {
            "entityid": asked["entity"],
            "metadata": {"inline": [asked["metadata"]]},
            "xmlsec_binary": XMLSEC,
            "key_file": key,
            "cert_file": certificate,
            "service": {"idp": {"endpoints": sso, "policy": {"default": policy}, "want_authn_requests_signed": True}},
        }
    )
    STATE["provider"] = Server(config=config)
    return {"metadata": str(entity_descriptor(config))}


def provider_answer(asked):
    """Reads a signed request of the service, and answers it."""
    query = {name: values[0] for name, values in parse_qs(urlparse(asked["url"]).query).items()}
    server = STATE["provider"]
    read = server.parse_authn_request(
        query["SAMLRequest"],
        BINDING_HTTP_REDIRECT,
        relay_state=query["RelayState"],
        sigalg=query["SigAlg"],
        signature=query["Signature"],
    )
    answer = server.create_authn_response(
        asked["attributes"],
        read.message.id,
        read.message.assertion_consumer_service_url,
        sp_entity_id=read.message.issuer.text,
        name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=asked["name"]),
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": "x"},
        sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        digest_alg="http://www.w3.org/2001/04/xmlenc#sha256",
        **asked["options"],
    )
    return {"response": str(answer), "relay": query["RelayState"]}


def schema(asked):
    """Checks a document by the schema of the standard."""
    checked = OneLogin_Saml2_XML.validate_xml(asked["document"], f"saml-schema-{asked['schema']}-2.0.xsd", debug=True)
    if isinstance(checked, str):
        raise ValueError(checked)
    return {}


for line in sys.stdin:
    question = json.loads(line)
    try:
        reply = globals()[question["do"]](question)
    except Exception as problem:  # whatever a library throws is the finding
        reply = {"problem": f"{type(problem).__name__}: {problem}"[:400]}
    print(json.dumps(reply), flush=True)
