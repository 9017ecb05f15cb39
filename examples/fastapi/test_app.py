import httpx
import pytest
from app import create_app
from fastapi.testclient import TestClient
from scalekit import ScalekitClient
from scalekit.common.scalekit import AuthorizationUrlOptions, CodeAuthenticationOptions

APP_URL = "http://localhost:8000"  # nothing listens there: the tests call the application itself
CEDAR = "org_10000000000000012"
SAM_AT_CEDAR = "mem_10000000000000013"


@pytest.fixture
def inbox(understudy_env):
    return understudy_env.webhooks.inbox(["organization.updated"])


@pytest.fixture
def browser(understudy_env, inbox, monkeypatch):
    # The helper keeps the tokens in a cookie of at most 3800 characters. Without roles, they are short.
    understudy_env.state.patch("memberships", SAM_AT_CEDAR, {"role_ids": []})
    settings = {
        **understudy_env.variables,
        "APP_URL": APP_URL,
        "SESSION_SECRET": "a secret for tests",
        "SCALEKIT_WEBHOOK_SECRET": inbox.secret,
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return TestClient(create_app(), base_url=APP_URL)


def start_sign_in(browser):
    return browser.get("/login", follow_redirects=False).headers["location"]


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


def test_a_user_signs_in_and_out(browser):
    sign_in(browser)
    assert "Signed in as sam@example.com of Cedar &amp; Sons." in browser.get("/account").text

    signed_out = httpx.get(browser.get("/logout", follow_redirects=False).headers["location"], timeout=60)

    assert signed_out.headers["location"] == f"{APP_URL}/"
    assert "Sign in" in browser.get("/").text


def test_a_refused_user_may_try_again(browser, understudy_env):
    understudy_env.scenario("sign-in-denied", error="user_not_active", times=1)
    callback = httpx.get(start_sign_in(browser), timeout=60).headers["location"]
    assert "error=user_not_active" in callback

    assert browser.get(callback, follow_redirects=False).headers["location"] == "/login"

    assert "Sign in" in browser.get("/").text


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
    assert "of Cedar &amp; Sons." in browser.get("/account").text
    understudy_env.state.patch("organizations", CEDAR, {"display_name": "Cedar AG"}, events=True)
    webhook = inbox.next()

    assert browser.post("/webhooks", content=webhook.body, headers=webhook.headers).status_code == 204

    assert "of Cedar AG." in browser.get("/account").text


def test_a_webhook_with_another_body_is_refused(browser, understudy_env, inbox):
    understudy_env.webhooks.trigger("organization.updated")
    webhook = inbox.next()

    assert browser.post("/webhooks", content=webhook.body + " ", headers=webhook.headers).status_code == 401
