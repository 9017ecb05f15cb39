package understudy

import "time"

// JournalEntry is a call with its answer.
type JournalEntry struct {
	ID          string    `json:"id"`
	Environment string    `json:"environment"`
	Time        time.Time `json:"time"`
	// Protocol is http/1.1, http/2, grpc, grpc-web or connect.
	Protocol string `json:"protocol"`
	Method   string `json:"method"`
	Path     string `json:"path"`
	// Operation is empty if no operation has this method and path.
	Operation string `json:"operation"`
	// Caller is nil if the call has no good token.
	Caller *JournalCaller `json:"caller"`
	// MadeBy is the id of the call that made this one, as a message for an MCP server calls what its tool does.
	MadeBy string `json:"made_by"`
	// Calls are the ids of the calls that this call made.
	Calls []string `json:"calls"`
	// Status is 0 while there is no answer.
	Status     int               `json:"status"`
	DurationMS float64           `json:"duration_ms"`
	Request    JournalRequest    `json:"request"`
	Response   JournalResponse   `json:"response"`
	Validation JournalValidation `json:"validation"`
	Scenario   JournalDecision   `json:"scenario"`
	// Fault says how a scenario rule delayed or broke the answer.
	Fault map[string]any `json:"fault"`
	// Changes are what the call changed in the state, as a JSON patch.
	Changes      []PatchStep          `json:"changes"`
	Interceptors []JournalInterceptor `json:"interceptors"`
	// Providers are the calls that were passed on to addresses that play a provider.
	Providers []JournalProviderCall `json:"providers"`
	// Notes say what the call shows to you only, such as the reason on an error page.
	Notes []string `json:"notes"`
	// DecidedBy are the rules that decided the answer and that no source of the service states.
	DecidedBy []string `json:"decided_by"`
	// Expected is call_without_token for the first call of an SDK that gets a token only after its refusal.
	Expected string `json:"expected"`
	// Error is the cause if Understudy itself failed.
	Error string `json:"error"`
	// Why explains the answer; nil in a list, unless RequestFilter.Why asks for it.
	Why *Why `json:"why"`
}

// Why says why a call got its answer.
type Why struct {
	// Kind is what decided: scenario, contract, authentication, unknown, taken, state, time, limit, permission,
	// interceptor, provider, protocol or none.
	Kind string `json:"kind"`
	// Summary is the reason in one sentence.
	Summary  string      `json:"summary"`
	Because  []WhyFact   `json:"because"`
	Remedies []WhyRemedy `json:"remedies"`
	// Guessed are the rules that decided and that no source of the service states.
	Guessed []string `json:"guessed"`
}

// WhyFact is what a reason rests on. Call and Row, which is collection/id, are empty if it is about none.
type WhyFact struct {
	Text string `json:"text"`
	Call string `json:"call"`
	Row  string `json:"row"`
}

// WhyRemedy is a call that helps.
type WhyRemedy struct {
	Text   string `json:"text"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body"`
	// Environment is the one to call, if it is another one.
	Environment string `json:"environment"`
}

// JournalCaller is who made a call.
type JournalCaller struct {
	ClientID string `json:"client_id"`
	// Subject is the user, or another `sub` of the token.
	Subject string `json:"subject"`
	// DirectoryID is the directory whose secret the call has.
	DirectoryID string `json:"directory_id"`
}

// JournalProviderCall is a call to an address that plays a provider, and its answer. Secrets are replaced.
type JournalProviderCall struct {
	Provider   string         `json:"provider"`
	Method     string         `json:"method"`
	URL        string         `json:"url"`
	Request    map[string]any `json:"request"`
	Response   map[string]any `json:"response"`
	Status     int            `json:"status"`
	DurationMS float64        `json:"duration_ms"`
	Error      string         `json:"error"`
}

// JournalRequest is what the caller sent. Secrets are replaced.
type JournalRequest struct {
	Headers map[string]any `json:"headers"`
	Query   map[string]any `json:"query"`
	Body    any            `json:"body"`
	// Unread is the beginning of a body that could not be read.
	Unread string `json:"unread"`
	// Truncated is the size of the body if only its beginning is stored.
	Truncated int `json:"truncated"`
}

// JournalResponse is what the caller got. Secrets are replaced.
type JournalResponse struct {
	Headers   map[string]any `json:"headers"`
	Body      any            `json:"body"`
	Truncated int            `json:"truncated"`
}

// JournalValidation says how request and answer broke the contract.
type JournalValidation struct {
	Violations []Violation `json:"violations"`
	// Unknown are fields that the contract does not name.
	Unknown  []string `json:"unknown"`
	Response string   `json:"response"`
}

// JournalDecision says which scenario rule was applied, and why the others were not.
type JournalDecision struct {
	// Name is empty if no rule was applied.
	Name       string           `json:"name"`
	Rule       int              `json:"rule"`
	Considered []ConsideredRule `json:"considered"`
	NotShown   int              `json:"not_shown"`
}

// ConsideredRule is a scenario rule for the operation of a call.
type ConsideredRule struct {
	Scenario string `json:"scenario"`
	Rule     int    `json:"rule"`
	Applied  bool   `json:"applied"`
	Reason   string `json:"reason"`
}

// PatchStep is one change of the state.
type PatchStep struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	// Value is the new value; nil for "remove".
	Value any `json:"value"`
	// Before is the old value; nil for "add".
	Before any `json:"before"`
}

// JournalInterceptor is what an interceptor was sent and what it answered.
type JournalInterceptor struct {
	InterceptorID string         `json:"interceptor_id"`
	TriggerPoint  string         `json:"trigger_point"`
	URL           string         `json:"url"`
	Request       map[string]any `json:"request"`
	Response      map[string]any `json:"response"`
	Status        int            `json:"status"`
	Decision      string         `json:"decision"`
	Policy        string         `json:"policy"`
	DurationMS    float64        `json:"duration_ms"`
	Error         string         `json:"error"`
	Scenario      map[string]any `json:"scenario"`
	Warnings      []string       `json:"warnings"`
}
