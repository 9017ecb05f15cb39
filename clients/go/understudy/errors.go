package understudy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrNotReachable says that no Understudy answers: nothing listens there, the call took too long, or the connection
// broke.
var ErrNotReachable = errors.New("no Understudy answers")

// ControlError is a refusal of the control API. Its text says what is wrong, field by field, and after a call that
// waits or verifies it shows what came instead.
type ControlError struct {
	// Status is 408 if something did not come in time, and 422 if Verify counts another number of calls.
	Status int
	// Code is the name of the error, such as RESOURCE_NOT_FOUND.
	Code string
	// Message is the sentence of the control API.
	Message string
	// Violations are the rules that the call broke.
	Violations []Violation
	// Body is the whole answer.
	Body json.RawMessage

	call  string
	shown []string
}

// Violation is a rule that a call broke.
type Violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
	Constraint  string `json:"constraint"`
}

func (e *ControlError) Error() string {
	lines := append([]string{e.Message}, e.shown...)
	origin := strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Code))
	return strings.Join(append(lines, fmt.Sprintf("  (%s from %s)", origin, e.call)), "\n")
}

// refused is what refusals contain. Only the first two are in all of them.
type refused struct {
	Message string `json:"message"`
	Details []struct {
		ErrorCode string `json:"error_code"`
		Info      struct {
			Violations []Violation `json:"field_violations"`
		} `json:"validation_error_info"`
	} `json:"details"`
	Count    int `json:"count"`
	Expected struct {
		Times  *int `json:"times"`
		AtMost *int `json:"at_most"`
	} `json:"expected"`
	Matching []string   `json:"matching"`
	Nearest  []nearMiss `json:"nearest"`
	Requests []nearMiss `json:"requests"`
	Others   []other    `json:"others"`
}

func refusal(request *http.Request, status int, body []byte) error {
	where := request.Method + " " + request.URL.String()
	var answer refused
	if json.Unmarshal(body, &answer) != nil || answer.Message == "" { // A page of another server.
		return fmt.Errorf("%w at %s: %d %.200s", ErrNotReachable, where, status, body)
	}
	err := &ControlError{Status: status, Message: answer.Message, Body: body, call: where}
	for i, detail := range answer.Details {
		if i == 0 {
			err.Code = detail.ErrorCode
		}
		err.Violations = append(err.Violations, detail.Info.Violations...)
	}
	err.shown = append(missingViolations(err), answer.insteads(status)...)
	return err
}

// missingViolations returns a line for each violation that the message does not contain.
func missingViolations(err *ControlError) []string {
	var lines []string
	for _, violation := range err.Violations {
		// A message may have the position of a mistake before the field, a violation in the description.
		message := strings.ReplaceAll(err.Message, violation.Field+": ", "")
		if !strings.Contains(message, violation.Description) {
			lines = append(lines, fmt.Sprintf("  %s: %s", violation.Field, violation.Description))
		}
	}
	return lines
}

// IsStatus tells whether the control API refused the call with this status.
func IsStatus(err error, status int) bool {
	var refusal *ControlError
	return errors.As(err, &refusal) && refusal.Status == status
}
