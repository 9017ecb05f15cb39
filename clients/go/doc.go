// Package understudytest starts Understudy, a simulator of the Scalekit API, and gives each test an isolated
// environment.
//
//	env := understudytest.Start(t)
//	if _, err := env.Client.Scenarios.Load(t.Context(), "rate-limit-once"); err != nil {
//		t.Fatal(err)
//	}
//
// The calls of [Environment.Client] take a context and return errors. The environment has the same calls without both, such as
// env.Scenarios.Load("rate-limit-once"): one that fails ends the test with [testing.T.Fatal], so call them in the goroutine of
// the test.
//
// The service starts with the first test of a package that needs it, and ends with the test binary.
package understudytest
