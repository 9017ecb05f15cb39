package understudy

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
)

// insteads shows the calls that match if there are too many, or else what came.
func (a *refused) insteads(status int) []string {
	if status == http.StatusUnprocessableEntity && a.Count > a.most() {
		return []string{"  those that match: " + strings.Join(a.Matching, ", ")}
	}
	var lines []string
	for _, each := range a.Requests {
		lines = append(lines, "  "+each.line())
	}
	if len(a.Nearest) > 0 {
		lines = append(lines, "the nearest:")
	}
	for _, each := range a.Nearest {
		lines = append(lines, "  "+each.line())
		lines = append(lines, each.sideBySide()...)
	}
	for _, each := range a.Others {
		lines = append(lines, "  "+each.line())
	}
	return lines
}

// most is the largest number of calls that Verify accepts.
func (a *refused) most() int {
	most := math.MaxInt
	for _, limit := range []*int{a.Expected.Times, a.Expected.AtMost} {
		if limit != nil {
			most = min(most, *limit)
		}
	}
	return most
}

// nearMiss is a call that differs from the wanted one in few fields.
type nearMiss struct {
	ID          string       `json:"id"`
	Method      string       `json:"method"`
	Path        string       `json:"path"`
	Status      int          `json:"status"`
	Differences []difference `json:"differences"`
}

type difference struct {
	Field    string          `json:"field"`
	Expected json.RawMessage `json:"expected"`
	Actual   json.RawMessage `json:"actual"`
}

func (n nearMiss) line() string {
	status := "no answer"
	if n.Status != 0 {
		status = fmt.Sprint(n.Status)
	}
	return fmt.Sprintf("%s %s %s (%s)", n.Method, n.Path, status, n.ID)
}

func (n nearMiss) sideBySide() []string {
	var lines []string
	for _, each := range n.Differences {
		actual := "absent"
		if each.Actual != nil {
			actual = string(each.Actual)
		}
		indent := strings.Repeat(" ", len(each.Field))
		lines = append(lines,
			fmt.Sprintf("    %s  expected %s", each.Field, each.Expected),
			fmt.Sprintf("    %s  was      %s", indent, actual))
	}
	return lines
}

// other is a mail, a delivery or an outgoing call that came, but does not match.
type other struct {
	ID         string `json:"id"`
	Kind       string `json:"kind"`
	To         string `json:"to"`
	Subject    string `json:"subject"`
	EventType  string `json:"event_type"`
	EndpointID string `json:"endpoint_id"`
	Status     string `json:"status"`
	Latest     string `json:"latest"`
	URL        string `json:"url"`
}

func (o other) line() string {
	if o.URL != "" && o.EventType == "" {
		return fmt.Sprintf("other call: %s to %s, %s (%s)", o.Kind, o.URL, o.Status, o.ID)
	}
	if o.EventType == "" {
		return fmt.Sprintf("other mail: %s to %s, %q", o.Kind, o.To, o.Subject)
	}
	latest := ""
	if o.Latest != "" {
		latest = ", " + o.Latest
	}
	return fmt.Sprintf("other delivery: %s to %s, %s%s (%s)", o.EventType, o.EndpointID, o.Status, latest, o.ID)
}
