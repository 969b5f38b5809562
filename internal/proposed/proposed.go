// Package proposed completes the commands of Loci that a message proposes, so that they work as pasted.
package proposed

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/loci-memory/loci"
)

// Flag is a flag that every command should have.
type Flag struct{ Name, Value string }

// command finds the commands that a message proposes, apart from those that a sentence only mentions, as in "the key
// that loci connect created".
var command = regexp.MustCompile("(?:^|[`(:,;] ?|\\b(?:run|see|or|and|with|then|check) )loci((?: [a-z][a-z-]*)+)")

// endOfCommand finds where the arguments of a proposed command end.
var endOfCommand = regexp.MustCompile("[`\n]|; | loci ")

// Complete adds the flags to the commands in a text that lack them. It calls Loci as the person did; "": by its name.
// known reports whether these words name a command.
func Complete(text, called string, known func(words []string) bool, flags []Flag) string {
	const name = "loci"
	var out strings.Builder
	for len(flags) > 0 || called != "" {
		at := command.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		end, words := at[2], strings.Fields(text[at[2]:at[3]])
		for i := range words {
			if !known(words[:i+1]) {
				break
			}
			end += 1 + len(words[i])
		}
		if end == at[2] {
			out.WriteString(text[:end])
		} else {
			out.WriteString(text[:at[2]-len(name)] + cmp.Or(called, name) + text[at[2]:end] + missing(text[end:], flags))
		}
		text = text[end:]
	}
	return out.String() + text
}

// missing returns the flags that a command with these arguments lacks.
func missing(args string, flags []Flag) (out string) {
	if end := endOfCommand.FindStringIndex(args); end != nil {
		args = args[:end[0]]
	}
	if strings.HasPrefix(args, " --help") {
		return ""
	}
	for _, f := range flags {
		if !strings.Contains(args, " "+f.Name+" ") {
			out += " " + f.Name + " " + Quoted(f.Value)
		}
	}
	return out
}

// Quoted returns a text quoted as one word for a shell.
func Quoted(s string) string {
	s = loci.OneLine(s)
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/@:", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
