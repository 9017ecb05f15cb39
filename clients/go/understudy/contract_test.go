package understudy

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The types that tests use are written by hand. This test compares their fields with the control API's document.
func TestTheTypesHaveTheFieldsOfTheContract(t *testing.T) {
	types := map[string]any{
		"Environment": madeEnvironment{}, "Kept": keptEnvironment{}, "KeptTest": KeptTest{}, "Clock": Clock{}, "Mail": Mail{}, "Snapshot": Snapshot{},
		"ScenarioList": ScenarioList{}, "LoadedScenario": LoadedScenario{}, "LoadedRule": LoadedRule{},
		"ScenarioParameter": ScenarioParameter{}, "JournalEntry": JournalEntry{}, "JournalRequest": JournalRequest{},
		"JournalResponse": JournalResponse{}, "JournalDecision": JournalDecision{}, "PatchStep": PatchStep{},
		"JournalInterceptor": JournalInterceptor{}, "JournalProviderCall": JournalProviderCall{}, "FieldViolation": Violation{}, "WebhookEndpointRow": WebhookEndpoint{},
		"WebhookDelivery": WebhookDelivery{}, "WebhookAttemptRow": WebhookAttempt{},
		"OutgoingCallRow": OutgoingCall{}, "Share": Share{}, "TriggeredEvent": TriggeredEvent{}, "SoftwarePasskey": Passkey{}, "PasskeyAnswer": PasskeyAnswer{}, "TotpAuthenticator": TOTPAuthenticator{},
		"Remedy": Remedy{}, "AppliedRemedy": AppliedRemedy{}, "Trace": Trace{}, "TraceStep": TraceStep{}, "SigningKeys": SigningKeys{}, "SigningKey": SigningKey{},
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "dist", "control.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}

	for name, value := range types {
		want := slices.Sorted(maps.Keys(document.Components.Schemas[name].Properties))
		if got := fieldsOf(reflect.TypeOf(value)); !slices.Equal(got, want) {
			t.Errorf("%s has %v, the contract has %v", name, got, want)
		}
	}
}

func fieldsOf(kind reflect.Type) []string {
	var fields []string
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	slices.Sort(fields)
	return fields
}
