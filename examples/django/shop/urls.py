from django.urls import include, path

from shop import views

urlpatterns = [
    path("", views.home),
    path("account", views.account),
    path("api/invoices", views.invoices),
    path("webhooks", views.webhooks),
    path("", include("scalekit.frameworks.django")),  # /login, /callback and /logout
]
