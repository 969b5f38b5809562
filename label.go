package loci

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Label returns a new name, key, tag or category as Loci stores it: in Unicode form NFC, without blanks around it and
// without characters that have no width, so that names that look the same are the same. It leaves joiners, which
// change how letters and emoji look.
func Label(name string) string {
	if !utf8.ValidString(name) {
		return strings.TrimSpace(name) // CheckText rejects it
	}
	return strings.TrimSpace(norm.NFC.String(widthless.Replace(name)))
}

// widthless removes characters without width. It is made once, because that takes longer than most labels.
var widthless = strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "", "\u00ad", "")

// Labels returns each of these as a Label, without repetitions.
func Labels(names []string) []string {
	if names == nil {
		return nil
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = Label(name)
	}
	return Unique(out)
}

// Look returns what is the same in names that differ only in case, blanks or characters without width.
func Look(name string) string {
	name = strings.NewReplacer("\u200c", "", "\u200d", "").Replace(Label(name))
	return strings.ToLower(strings.ToUpper(strings.Join(strings.Fields(name), " "))) // ς is σ
}

// TwinHint returns a hint at the first of names that differs from name, that of a new thing, only in case, blanks or
// characters without width. It returns "" without one.
func TwinHint(noun, name string, names ...string) string {
	own := Look(name)
	for _, twin := range names {
		if twin != name && Look(twin) == own {
			return fmt.Sprintf("The %s %q exists already; only case or blanks differ. If you mean that one, use it.", noun, twin)
		}
	}
	return ""
}
