package understudy

import (
	"context"
	"net/http"
)

// BundledTest is the test for which a bundle is made: its name, its file, and what it has said when it failed.
type BundledTest struct {
	Test    string `json:"test"`
	File    string `json:"file,omitempty"`
	Failure string `json:"failure,omitempty"`
}

const longestFailure = 10_000

// Bundle returns one compressed file with everything of the environment up to now, without secrets. `understudy open`
// shows it on any machine, and `understudy replay` makes its calls again. The test may be empty.
func (env *Environment) Bundle(ctx context.Context, test BundledTest) ([]byte, error) {
	var content []byte
	if test.Test == "" {
		return content, env.control.do(ctx, call{path: "/bundle", result: &content})
	}
	test.Test = cut(test.Test, longestTestName)
	test.File = cut(test.File, longestTestName)
	test.Failure = cut(test.Failure, longestFailure)
	err := env.control.do(ctx, call{method: http.MethodPost, path: "/bundle", body: test, result: &content})
	return content, err
}

func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length])
	}
	return text
}
