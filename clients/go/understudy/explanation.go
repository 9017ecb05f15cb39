package understudy

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const longestValue = 300

// Explain says in a few lines why the call was answered as it was.
func (e JournalEntry) Explain() string {
	lines := []string{e.line()}
	for _, reason := range e.reasons() {
		lines = append(lines, "  "+reason)
	}
	return strings.Join(lines, "\n")
}

// journalText has a line for a call that went well, and one sentence more for others.
func journalText(entries []JournalEntry) string {
	if len(entries) == 0 {
		return "no calls"
	}
	var lines []string
	for _, each := range entries {
		isPlain := each.Status != 0 && each.Status < http.StatusBadRequest && each.Scenario.Name == ""
		if isPlain {
			lines = append(lines, each.line())
		} else if each.Why != nil {
			lines = append(lines, each.line(), "  "+each.Why.Summary)
		} else {
			lines = append(lines, each.Explain())
		}
	}
	return strings.Join(lines, "\n")
}

func (e JournalEntry) line() string {
	status, operation := "no answer", "no operation"
	if e.Status != 0 {
		status = fmt.Sprint(e.Status)
	}
	if e.Operation != "" {
		operation = e.Operation
	}
	return fmt.Sprintf("%s %s %s %s (%s)", e.Method, e.Path, status, operation, e.ID)
}

func (e JournalEntry) reasons() []string {
	reasons := append(e.whyReasons(), e.contractReasons()...)
	for _, name := range slices.Sorted(maps.Keys(e.Fault)) {
		reasons = append(reasons, fmt.Sprintf("fault: %s %s", name, shorten(e.Fault[name])))
	}
	for _, step := range e.Changes {
		line := fmt.Sprintf("change: %s %s", step.Op, step.Path)
		if step.Value != nil {
			line += " " + shorten(step.Value)
		}
		reasons = append(reasons, line)
	}
	if e.Error != "" {
		reasons = append(reasons, "cause: "+e.Error)
	}
	return reasons
}

func (e JournalEntry) whyReasons() []string {
	if e.Why == nil {
		if e.Status >= http.StatusBadRequest {
			return []string{"answer: " + messageIn(e.Response.Body)}
		}
		return nil
	}
	reasons := []string{e.Why.Summary}
	for _, fact := range e.Why.Because {
		reasons = append(reasons, fact.Text)
	}
	for _, remedy := range e.Why.Remedies {
		reasons = append(reasons, fmt.Sprintf("helps: %s %s %s", remedy.Text, remedy.Method, remedy.Path))
	}
	return reasons
}

func (e JournalEntry) contractReasons() []string {
	var reasons []string
	if len(e.Validation.Unknown) > 0 {
		reasons = append(reasons, "unknown fields: "+strings.Join(e.Validation.Unknown, ", "))
	}
	if e.Validation.Response != "" {
		reasons = append(reasons, "the answer breaks the contract: "+e.Validation.Response)
	}
	return reasons
}

func messageIn(body any) string {
	if body == nil {
		return "no body"
	}
	members, _ := body.(map[string]any)
	for _, name := range []string{"error_description", "message"} {
		if text, isText := members[name].(string); isText {
			return text
		}
	}
	return shorten(body)
}

func shorten(value any) string {
	text, isText := value.(string)
	if !isText {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Sprint(value)
		}
		text = string(encoded)
	}
	if characters := []rune(text); len(characters) > longestValue {
		return string(characters[:longestValue]) + "…"
	}
	return text
}
