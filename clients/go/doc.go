// Package understudytest starts Understudy, a simulator of the Scalekit API, and gives each test an isolated
// environment.
//
//	env := understudytest.Start(t).Environment(t)
//	env.Scenarios.Load("rate-limit-once")
//
// The service starts with the first test of a package that needs it, and ends with the test binary. A call to the
// control API that fails ends the test with the message of the control API; [Environment.Client] returns it as an error.
package understudytest
