package understudytest

import (
	"time"

	"understudy.example/understudytest/understudy"
)

// Header selects an environment for a call without credentials: its value is the name of the environment.
const Header = understudy.Header

// ErrNotReachable says that no Understudy answers: nothing listens there, the call took too long, or the connection
// broke.
var ErrNotReachable = understudy.ErrNotReachable

// The values of calls are those of the package understudy.
type (
	AppliedRemedy      = understudy.AppliedRemedy
	Clock              = understudy.Clock
	ControlError       = understudy.ControlError
	Count              = understudy.Count
	Coverage           = understudy.Coverage
	DeliveryFilter     = understudy.DeliveryFilter
	EnvironmentOptions = understudy.EnvironmentOptions
	EventOptions       = understudy.EventOptions
	Idp                = understudy.Idp
	IdpOptions         = understudy.IdpOptions
	JournalEntry       = understudy.JournalEntry
	KeptTest           = understudy.KeptTest
	ListOption         = understudy.ListOption
	LoadedScenario     = understudy.LoadedScenario
	Mail               = understudy.Mail
	MailFilter         = understudy.MailFilter
	OutgoingCall       = understudy.OutgoingCall
	OutgoingFilter     = understudy.OutgoingFilter
	Params             = understudy.Params
	Passkey            = understudy.Passkey
	PasskeyAnswer      = understudy.PasskeyAnswer
	PasskeyOptions     = understudy.PasskeyOptions
	Person             = understudy.Person
	ReceivedWebhook    = understudy.ReceivedWebhook
	Remedy             = understudy.Remedy
	RequestFilter      = understudy.RequestFilter
	RequestMatch       = understudy.RequestMatch
	Row                = understudy.Row
	ScenarioList       = understudy.ScenarioList
	SignOptions        = understudy.SignOptions
	SigningKey         = understudy.SigningKey
	SigningKeys        = understudy.SigningKeys
	Snapshot           = understudy.Snapshot
	TOTPAuthenticator  = understudy.TOTPAuthenticator
	Tokens             = understudy.Tokens
	Trace              = understudy.Trace
	TraceStep          = understudy.TraceStep
	TriggeredEvent     = understudy.TriggeredEvent
	WebhookDelivery    = understudy.WebhookDelivery
	WebhookEndpoint    = understudy.WebhookEndpoint
)

// Times expects exactly this number of calls.
func Times(number int) Count { return understudy.Times(number) }

// AtLeast expects this number of calls or more.
func AtLeast(number int) Count { return understudy.AtLeast(number) }

// AtMost expects this number of calls or fewer.
func AtMost(number int) Count { return understudy.AtMost(number) }

// Containing leaves rows whose JSON has each of these words. Upper and lower case are the same.
func Containing(words string) ListOption { return understudy.Containing(words) }

// Where leaves rows whose members have these values: Where(Row{"organization_id": "org_1"}).
func Where(members Row) ListOption { return understudy.Where(members) }

// SortedBy orders the rows by a field, such as display_name. Without it, the oldest row comes first.
func SortedBy(field string) ListOption { return understudy.SortedBy(field) }

// Reversed turns the order around.
func Reversed() ListOption { return understudy.Reversed() }

// Limit returns this number of rows, at most 1000. Without it, all.
func Limit(rows int) ListOption { return understudy.Limit(rows) }

// Offset leaves out this number of rows first.
func Offset(rows int) ListOption { return understudy.Offset(rows) }

// EnvironmentOption says what an environment starts with.
type EnvironmentOption func(*EnvironmentOptions)

// WithName gives the environment a name.
func WithName(name string) EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Name = name }
}

// WithFixture starts with the rows of this fixture, such as small.
func WithFixture(name string) EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Fixture = name }
}

// WithSeed sets the number that ids, secrets and random values come from.
func WithSeed(seed int) EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Seed = seed }
}

// WithScenario loads a scenario: a name, or a scenario as a map or a struct. It may be given again.
func WithScenario(scenario any) EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Scenarios = append(options.Scenarios, scenario) }
}

// WithClock lets the clock stand still at this time.
func WithClock(at time.Time) EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Clock = at }
}

// WithStrict refuses request fields that the contract does not name.
func WithStrict() EnvironmentOption {
	return func(options *EnvironmentOptions) { options.Strict = true }
}
