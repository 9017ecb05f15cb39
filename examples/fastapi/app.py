"""An application that signs users in with the helper of Scalekit's SDK: uvicorn app:create_app --factory"""

import json
import os
from html import escape
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from scalekit.common.exceptions import (
    ScalekitServerException,
    ScalekitValidateTokenFailureException,
    WebhookVerificationError,
)
from scalekit.common.scalekit import TokenValidationOptions
from scalekit.frameworks.fastapi import ScalekitAuth


def create_app() -> FastAPI:
    app_url = os.environ.get("APP_URL", "http://localhost:8000")
    client_id = os.environ["SCALEKIT_CLIENT_ID"]
    webhook_secret = os.environ["SCALEKIT_WEBHOOK_SECRET"]
    auth = ScalekitAuth(
        env_url=os.environ["SCALEKIT_ENVIRONMENT_URL"],
        client_id=client_id,
        client_secret=os.environ["SCALEKIT_CLIENT_SECRET"],
        redirect_uri=f"{app_url}/callback",
        cookie_encryption_secret=os.environ["SESSION_SECRET"],
        cookie_secure=app_url.startswith("https:"),
    )
    organization_names: dict[str, str] = {}

    app = FastAPI()
    auth.install(app)

    def organization_name(organization_id: str) -> str:
        if organization_id not in organization_names:
            found, _call = auth.client.organization.get_organization(organization_id)
            organization_names[organization_id] = found.organization.display_name
        return organization_names[organization_id]

    def permissions(bearer: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> list[str]:
        wanted = TokenValidationOptions(audience=[client_id])
        try:
            claims = auth.client.validate_access_token_and_get_claims(bearer.credentials, wanted)
        except ScalekitValidateTokenFailureException as error:
            raise HTTPException(401) from error
        return claims.get("permissions", [])

    @app.get("/", response_class=HTMLResponse)
    def home(request: Request) -> str:
        return '<a href="/account">Account</a>' if auth.get_session(request) else '<a href="/login">Sign in</a>'

    @app.get("/account", response_class=HTMLResponse)
    def account(claims: Annotated[dict, Depends(auth.requires_auth)]) -> str:
        found, _call = auth.client.users.get_user(claims["sub"])
        name = organization_name(claims["oid"])
        return f'Signed in as {escape(found.user.email)} of {escape(name)}. <a href="/logout">Sign out</a>'

    @app.get("/api/invoices")
    def invoices(granted: Annotated[list[str], Depends(permissions)]) -> list[str]:
        if "invoices:read" not in granted:
            raise HTTPException(403)
        return ["INV-1", "INV-2"]

    @app.post("/webhooks", status_code=204)
    async def webhooks(request: Request) -> None:
        body = await request.body()
        try:
            auth.client.verify_webhook_payload(webhook_secret, request.headers, body)
        except WebhookVerificationError as error:
            raise HTTPException(401) from error
        event = json.loads(body)
        if event["type"] == "organization.updated":
            organization_names[event["data"]["id"]] = event["data"]["display_name"]

    @app.exception_handler(ScalekitServerException)
    def unavailable(_request: Request, _error: ScalekitServerException) -> JSONResponse:
        return JSONResponse({"detail": "Please try again."}, 503)

    return app
