import json

from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from scalekit.common.exceptions import (
    ScalekitServerException,
    ScalekitValidateTokenFailureException,
    WebhookVerificationError,
)
from scalekit.common.scalekit import TokenValidationOptions
from scalekit.frameworks.django import get_config, login_required


def home(request):
    return render(request, "home.html", {"user": request.scalekit_user})


@login_required
def account(request):
    claims = request.scalekit_user
    found, _call = get_config().client.users.get_user(claims["sub"])
    return render(request, "account.html", {"user": found.user, "organization": organization_name(claims["oid"])})


def invoices(request):
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted = TokenValidationOptions(audience=[settings.SCALEKIT_CLIENT_ID])
    try:
        claims = get_config().client.validate_access_token_and_get_claims(token, wanted)
    except ScalekitValidateTokenFailureException:
        return HttpResponse(status=401)
    if scheme != "Bearer" or "invoices:read" not in claims.get("permissions", []):
        return HttpResponse(status=403)
    return JsonResponse(["INV-1", "INV-2"], safe=False)


@csrf_exempt
@require_POST
def webhooks(request):
    try:
        get_config().client.verify_webhook_payload(settings.SCALEKIT_WEBHOOK_SECRET, request.headers, request.body)
    except WebhookVerificationError:
        return HttpResponse(status=401)
    event = json.loads(request.body)
    if event["type"] == "organization.updated":
        cache.set(event["data"]["id"], event["data"]["display_name"])
    return HttpResponse(status=204)


def organization_name(organization_id):
    name = cache.get(organization_id)
    if name is None:
        found, _call = get_config().client.organization.get_organization(organization_id)
        name = found.organization.display_name
        cache.set(organization_id, name)
    return name


class ServiceUnavailable:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_exception(self, request, exception):
        if isinstance(exception, ScalekitServerException):
            return HttpResponse("Please try again.", status=503)
        return None
