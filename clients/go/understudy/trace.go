package understudy

import "time"

// Trace is a call with all that it caused.
type Trace struct {
	// Call is the id of the call.
	Call        string `json:"call"`
	Environment string `json:"environment"`
	// Steps are the call and all that it caused. A step follows the one that caused it.
	Steps []TraceStep `json:"steps"`
	// NotShown is the number of further steps.
	NotShown int `json:"not_shown"`
}

// TraceStep is a call, or something that it caused.
type TraceStep struct {
	// Depth is 0 for the call. The cause of a step is the nearest one above it with a smaller depth.
	Depth int `json:"depth"`
	// Kind is call, row, event, delivery, attempt, mail, outgoing or due.
	Kind string `json:"kind"`
	// Text says what happened, or what is due.
	Text string `json:"text"`
	// Time is on the clock of the environment, MachineTime on that of the machine. Each is zero if it is not known.
	Time        time.Time `json:"time"`
	MachineTime time.Time `json:"machine_time"`
	// Row is the row, as collection/id.
	Row string `json:"row"`
	// Call is the id of the call.
	Call string `json:"call"`
}
