package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// MailControl reads mails.
type MailControl struct {
	t      testing.TB
	client *understudy.MailControl
}

// List returns the mails that match, oldest first.
func (c *MailControl) List(filter MailFilter) []Mail {
	c.t.Helper()
	return must(c.client.List(within(c.t), filter))(c.t)
}

// Wait returns the latest mail that matches, or waits for one. If none comes, the message lists the other mails.
func (c *MailControl) Wait(filter MailFilter) Mail {
	c.t.Helper()
	return must(c.client.Wait(within(c.t), filter))(c.t)
}

// Clear deletes all mails.
func (c *MailControl) Clear() {
	c.t.Helper()
	check(c.t, c.client.Clear(within(c.t)))
}
