package recall

import (
	"regexp"
	"strings"
)

// These are the marks around stored text in a prompt. Stored text cannot contain them: see Escape.
const (
	fenceStart = "<memories>\n"
	fenceEnd   = "</memories>\n"
)

// mark finds anything that a model could mistake for a mark.
var mark = regexp.MustCompile(`(?i)<(\s*/?\s*memories)`)

// Escape changes the marks in a stored text.
func Escape(text string) string { return mark.ReplaceAllString(text, "<\\$1") }

// Fence returns stored text between two marks that the text itself cannot contain, so that a model
// can tell where it ends.
func Fence(text string) string {
	if text = Escape(text); !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fenceStart + text + fenceEnd
}
