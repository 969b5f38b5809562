package loci

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compose returns a new name in Unicode form NFC and without characters that have no width, so that names that look the
// same are the same. It leaves joiners, which change how letters and emoji look.
func Compose(name string) string {
	if !utf8.ValidString(name) {
		return name // CheckText rejects it
	}
	return norm.NFC.String(strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "", "\u00ad", "").Replace(name))
}

// Label returns a new key, tag, category, or name in a graph as Loci stores it: composed, without blanks around it.
func Label(name string) string { return strings.TrimSpace(Compose(name)) }

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
