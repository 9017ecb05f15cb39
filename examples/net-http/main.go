package main

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"os"
)

func main() {
	app, err := newApp(context.Background(), settings{
		appURL:        cmp.Or(os.Getenv("APP_URL"), "http://localhost:8000"),
		scalekitURL:   os.Getenv("SCALEKIT_ENVIRONMENT_URL"),
		clientID:      os.Getenv("SCALEKIT_CLIENT_ID"),
		clientSecret:  os.Getenv("SCALEKIT_CLIENT_SECRET"),
		webhookSecret: os.Getenv("SCALEKIT_WEBHOOK_SECRET"),
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(":8000", app))
}
