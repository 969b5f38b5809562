package language

import "sync"

var (
	destroyVerbs   = sync.OnceValue(func() map[string]bool { return formsOf("destroy-verbs") })
	destroyObjects = sync.OnceValue(func() map[string]bool { return formsOf("destroy-objects") })
)

// Destroys reports whether a text is about destroying what is remembered: "delete the memories of last year".
func Destroys(text string) bool {
	verb, object := false, false
	var a Analyzer
	for _, t := range a.Tokens(text, nil) {
		verb, object = verb || destroyVerbs()[t.Form], object || destroyObjects()[t.Form]
	}
	return verb && object
}
