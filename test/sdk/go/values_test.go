package stack

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// at returns the value at a path such as `roles.0.name`; nil when there is none.
func at(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch holder := value.(type) {
		case map[string]any:
			value = holder[name]
		case []any:
			index, err := strconv.Atoi(name)
			if err != nil || index >= len(holder) {
				return nil
			}
			value = holder[index]
		default:
			return nil
		}
	}
	return value
}

// fill replaces each `$NAME` by the value that was kept.
func fill(value any, kept map[string]string) any {
	switch held := value.(type) {
	case string:
		if name, isName := strings.CutPrefix(held, "$"); isName {
			return kept[name]
		}
	case map[string]any:
		filled := map[string]any{}
		for name, each := range held {
			filled[name] = fill(each, kept)
		}
		return filled
	case []any:
		filled := make([]any, len(held))
		for i, each := range held {
			filled[i] = fill(each, kept)
		}
		return filled
	}
	return value
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
