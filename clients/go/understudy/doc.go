// Package understudy calls a running Understudy, a simulator of the Scalekit API. Its calls take a context and return
// errors. Tests are shorter with the package understudytest, whose environments have one of this package as Client.
//
//	service, err := understudy.Connect(ctx, "http://localhost:8080")
//	env, err := service.Environment(ctx, understudy.EnvironmentOptions{Fixture: "small"})
//	_, err = env.Scenarios.Load(ctx, "rate-limit-once")
package understudy
