import httpx
import pytest
from django.core.cache import cache
from django.test import Client
from scalekit import ScalekitClient
from scalekit.common.scalekit import AuthorizationUrlOptions, CodeAuthenticationOptions
from scalekit.frameworks.django import get_config

APP_URL = "http://localhost"  # where Django's test client calls
CEDAR = "org_10000000000000012"
SAM_AT_CEDAR = "mem_10000000000000013"


@pytest.fixture
def inbox(understudy_env):
    return understudy_env.webhooks.inbox(["organization.updated"])


@pytest.fixture
def browser(understudy_env, inbox, settings):
    # The helper keeps the tokens in a cookie of at most 3800 characters. Without roles, they are short.
    understudy_env.state.patch("memberships", SAM_AT_CEDAR, {"role_ids": []})
    settings.SCALEKIT_ENV_URL = understudy_env.url
    settings.SCALEKIT_REDIRECT_URI = f"{APP_URL}/callback"
    settings.SCALEKIT_CLIENT_ID = understudy_env.client_id
    settings.SCALEKIT_CLIENT_SECRET = understudy_env.client_secret
    settings.SCALEKIT_WEBHOOK_SECRET = inbox.secret
    get_config.cache_clear()  # the helper makes one client for the process
    cache.clear()
    return Client(SERVER_NAME="localhost")


def start_sign_in(browser):
    return browser.get("/login").headers["location"]


def sign_in(browser):
    """Without a browser, these two parameters take the place of a click on the page."""
    page = f"{start_sign_in(browser)}&login_hint=sam@example.com&understudy_auto=1"
    browser.get(httpx.get(page, timeout=60).headers["location"])


def access_token(env, email):
    client = ScalekitClient(env.url, env.client_id, env.client_secret)
    options = AuthorizationUrlOptions()
    options.login_hint = email
    page = client.get_authorization_url(f"{APP_URL}/callback", options)
    code = httpx.URL(httpx.get(f"{page}&understudy_auto=1", timeout=60).headers["location"]).params["code"]
    return client.authenticate_with_code(code, f"{APP_URL}/callback", CodeAuthenticationOptions())["access_token"]


def post(browser, webhook, body):
    return browser.post("/webhooks", body, content_type="application/json", headers=webhook.headers)


def test_a_user_signs_in_and_out(browser):
    sign_in(browser)
    assert "Signed in as sam@example.com of Cedar &amp; Sons." in browser.get("/account").content.decode()

    signed_out = httpx.get(browser.get("/logout").headers["location"], timeout=60)

    assert signed_out.headers["location"] == f"{APP_URL}/"
    assert "Sign in" in browser.get("/").content.decode()


def test_a_refused_user_may_try_again(browser, understudy_env):
    understudy_env.scenario("sign-in-denied", error="user_not_active", times=1)
    callback = httpx.get(start_sign_in(browser), timeout=60).headers["location"]
    assert "error=user_not_active" in callback

    assert browser.get(callback).headers["location"] == "/login"

    assert "Sign in" in browser.get("/").content.decode()


def test_a_rate_limit_is_reported(browser, understudy_env):
    sign_in(browser)
    understudy_env.scenario("rate-limit-once")

    assert browser.get("/account").status_code == 503
    assert browser.get("/account").status_code == 200


@pytest.mark.parametrize(("email", "status"), [("ravi@acme.example", 200), ("nina@nordwind.example", 403)])
def test_the_api_wants_a_permission(browser, understudy_env, email, status):
    headers = {"authorization": f"Bearer {access_token(understudy_env, email)}"}

    assert browser.get("/api/invoices", headers=headers).status_code == status


def test_the_api_wants_a_token(browser):
    assert browser.get("/api/invoices", headers={"authorization": "Bearer none"}).status_code == 401


def test_a_webhook_renames_the_organization(browser, understudy_env, inbox):
    sign_in(browser)
    assert "of Cedar &amp; Sons." in browser.get("/account").content.decode()
    understudy_env.state.patch("organizations", CEDAR, {"display_name": "Cedar AG"}, events=True)
    webhook = inbox.next()

    assert post(browser, webhook, webhook.body).status_code == 204
    assert "of Cedar AG." in browser.get("/account").content.decode()


def test_a_webhook_with_another_body_is_refused(browser, understudy_env, inbox):
    understudy_env.webhooks.trigger("organization.updated")
    webhook = inbox.next()

    assert post(browser, webhook, webhook.body + " ").status_code == 401
