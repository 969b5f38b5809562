package recall

import (
	"regexp"
	"strings"

	"github.com/loci-memory/loci"
)

// These are the marks around stored text in a prompt. Stored text cannot contain them: see Escape.
const (
	fenceStart = "<memories>\n"
	fenceEnd   = "</memories>\n"
)

// mark finds anything that a model could mistake for a mark.
var mark = regexp.MustCompile(`(?i)<([\s\pZ]*/?[\s\pZ]*memories)`)

// Escape makes a stored text safe in a prompt: legible, and without marks.
func Escape(text string) string { return mark.ReplaceAllString(loci.Legible(text), "<\\$1") }

// Line is Escape for a text that takes one line of a prompt.
func Line(text string) string { return Escape(loci.OneLine(text)) }

// Fence returns stored text between two marks that the text itself cannot contain, so that a model
// can tell where it ends.
func Fence(text string) string {
	if text = Escape(text); !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fenceStart + text + fenceEnd
}
