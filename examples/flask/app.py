"""An application that signs users in with the helper of Scalekit's SDK: flask --app app run --port 8000"""

import os

from flask import Flask, abort, jsonify, render_template_string, request
from scalekit.common.exceptions import (
    ScalekitServerException,
    ScalekitValidateTokenFailureException,
    WebhookVerificationError,
)
from scalekit.common.scalekit import TokenValidationOptions
from scalekit.frameworks.flask import ScalekitAuth

ACCOUNT = 'Signed in as {{ user.email }} of {{ organization }}. <a href="/logout">Sign out</a>'


def create_app() -> Flask:
    app_url = os.environ.get("APP_URL", "http://localhost:8000")
    client_id = os.environ["SCALEKIT_CLIENT_ID"]
    webhook_secret = os.environ["SCALEKIT_WEBHOOK_SECRET"]
    app = Flask(__name__)
    auth = ScalekitAuth(
        app,
        env_url=os.environ["SCALEKIT_ENVIRONMENT_URL"],
        client_id=client_id,
        client_secret=os.environ["SCALEKIT_CLIENT_SECRET"],
        redirect_uri=f"{app_url}/callback",
        cookie_encryption_secret=os.environ["SESSION_SECRET"],
        cookie_secure=app_url.startswith("https:"),
    )
    organization_names: dict[str, str] = {}

    def organization_name(organization_id: str) -> str:
        if organization_id not in organization_names:
            found, _call = auth.client.organization.get_organization(organization_id)
            organization_names[organization_id] = found.organization.display_name
        return organization_names[organization_id]

    @app.get("/")
    def home():
        return '<a href="/account">Account</a>' if auth.get_session() else '<a href="/login">Sign in</a>'

    @app.get("/account")
    @auth.requires_auth
    def account():
        found, _call = auth.client.users.get_user(auth.current_user["sub"])
        organization = organization_name(auth.current_user["oid"])
        return render_template_string(ACCOUNT, user=found.user, organization=organization)

    @app.get("/api/invoices")
    def invoices():
        if request.authorization is None or request.authorization.type != "bearer":
            abort(401)
        wanted = TokenValidationOptions(audience=[client_id])
        try:
            claims = auth.client.validate_access_token_and_get_claims(request.authorization.token, wanted)
        except ScalekitValidateTokenFailureException:
            abort(401)
        if "invoices:read" not in claims.get("permissions", []):
            abort(403)
        return jsonify(["INV-1", "INV-2"])

    @app.post("/webhooks")
    def webhooks():
        try:
            auth.client.verify_webhook_payload(webhook_secret, request.headers, request.get_data())
        except WebhookVerificationError:
            abort(401)
        event = request.get_json()
        if event["type"] == "organization.updated":
            organization_names[event["data"]["id"]] = event["data"]["display_name"]
        return "", 204

    @app.errorhandler(ScalekitServerException)
    def unavailable(_error: ScalekitServerException):
        return "Please try again.", 503

    return app
