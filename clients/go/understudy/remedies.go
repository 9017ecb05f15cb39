package understudy

// Remedy is a call that would help another one.
type Remedy struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body"`
	// Environment is the one to call, if it is another one.
	Environment string `json:"environment"`
	// Code has the same as a line of curl, typescript, python, go and java.
	Code map[string]string `json:"code"`
}

// AppliedRemedy is what a remedy did, and the answer that it got.
type AppliedRemedy struct {
	Text   string `json:"text"`
	Status int    `json:"status"`
	Body   any    `json:"body"`
	// Call is the id of the new call, if it was one to the service.
	Call string `json:"call"`
}
