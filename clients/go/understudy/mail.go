package understudy

import (
	"context"
	"net/http"
	"time"
)

// Mail is a mail that the service would have sent.
type Mail struct {
	ID string `json:"id"`
	// Kind is invitation, invitation_reminder, passwordless or verification.
	Kind    string `json:"kind"`
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// HTML is empty unless the filter asks for it.
	HTML string `json:"html"`
	// Code and Link are what the text contains, if it does.
	Code              string            `json:"code"`
	Link              string            `json:"link"`
	TemplateVariables map[string]string `json:"template_variables"`
	Time              time.Time         `json:"time"`
}

// MailFilter selects mails. What is empty is not looked at.
type MailFilter struct {
	// To is an address, or a glob such as *@example.com.
	To   string
	Kind string
	// Since is the id of a mail. Wait looks at later mails only.
	Since string
	// Timeout is how long Wait waits. Default: 4 seconds.
	Timeout time.Duration
	// HTML says whether the mails have their HTML.
	HTML bool
}

// MailControl reads mails.
type MailControl struct{ control *control }

// List returns the mails that match, oldest first.
func (c *MailControl) List(ctx context.Context, filter MailFilter) ([]Mail, error) {
	wanted := query(map[string]string{"to": filter.To, "kind": filter.Kind, "html": flag(filter.HTML), "format": "json"})
	return list[Mail](ctx, c.control, "mails", call{path: "/mail", query: wanted})
}

// Wait returns the latest mail that matches, or waits for one. If none comes, the message lists the other mails.
func (c *MailControl) Wait(ctx context.Context, filter MailFilter) (Mail, error) {
	wait, text := waiting(filter.Timeout)
	wanted := query(map[string]string{"to": filter.To, "kind": filter.Kind, "since": filter.Since, "timeout": text, "html": flag(filter.HTML)})
	return fetch[Mail](ctx, c.control, call{path: "/mail/wait", query: wanted, wait: wait})
}

// Clear deletes all mails.
func (c *MailControl) Clear(ctx context.Context) error {
	return c.control.do(ctx, call{method: http.MethodDelete, path: "/mail"})
}
