import os

APP_URL = os.environ.get("APP_URL", "http://localhost:8000")
SECRET_KEY = os.environ.get("SECRET_KEY", "only for this machine")
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "shop.urls"
MIDDLEWARE = [
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "scalekit.frameworks.django.ScalekitAuthMiddleware",
    "shop.views.ServiceUnavailable",
]
TEMPLATES = [
    {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [os.path.dirname(__file__) + "/templates"]}
]

# The helper of Scalekit's SDK reads these.
SCALEKIT_ENV_URL = os.environ.get("SCALEKIT_ENVIRONMENT_URL")
SCALEKIT_CLIENT_ID = os.environ.get("SCALEKIT_CLIENT_ID")
SCALEKIT_CLIENT_SECRET = os.environ.get("SCALEKIT_CLIENT_SECRET")
SCALEKIT_REDIRECT_URI = f"{APP_URL}/callback"
SCALEKIT_COOKIE_ENCRYPTION_SECRET = SECRET_KEY
SCALEKIT_COOKIE_SECURE = APP_URL.startswith("https:")

SCALEKIT_WEBHOOK_SECRET = os.environ.get("SCALEKIT_WEBHOOK_SECRET")
