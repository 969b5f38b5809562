package main

import (
	"path/filepath"
	"regexp"
	"strings"
)

// proposedCommand finds the commands of Loci that a message proposes, apart from those that a sentence only mentions,
// as in "the key that loci connect created".
var proposedCommand = regexp.MustCompile(
	"(?:^|[`(:,;] ?|\\b(?:run|see|or|and|with|then|check) )loci((?: [a-z][a-z-]*)+)")

// endOfCommand finds where the arguments of a proposed command certainly end.
var endOfCommand = regexp.MustCompile("[`\n]|; | loci ")

// onSameData completes the commands that a message proposes: pasted, they work on the data directory of this command
// and with its configuration file. It leaves commands that name theirs as they are. Notes, errors, findings and
// warnings go through here; what a command prints as its result must call it.
func (p *program) onSameData(text string) string {
	if p.settings == nil || p.commands == nil || !p.settings.DirAsked && !p.settings.FileAsked {
		return text
	}
	var out strings.Builder
	for {
		at := proposedCommand.FindStringSubmatchIndex(text)
		if at == nil {
			out.WriteString(text)
			return out.String()
		}
		end, known := p.endOfName(text, at[2], at[3])
		out.WriteString(text[:end])
		text = text[end:]
		if known {
			out.WriteString(p.settings.missingIn(text))
		}
	}
}

// endOfName returns where the name of a command ends whose words are in text[from:to].
func (p *program) endOfName(text string, from, to int) (end int, known bool) {
	cmd := p.commands
next:
	for _, word := range strings.Fields(text[from:to]) {
		for _, c := range cmd.Commands() {
			if c.Name() == word {
				cmd, from, known = c, from+1+len(word), true
				continue next
			}
		}
		break
	}
	return from, known
}

// missingIn returns the flags that a command with these arguments lacks to work on the same data.
func (s *settings) missingIn(args string) (flags string) {
	if end := endOfCommand.FindStringIndex(args); end != nil {
		args = args[:end[0]]
	}
	if strings.HasPrefix(args, " --help") {
		return ""
	}
	if s.DirAsked && !strings.Contains(args, " --data-dir ") {
		flags += " --data-dir " + quoted(s.DataDir)
	}
	if s.FileAsked && !strings.Contains(args, " --config ") {
		name, err := filepath.Abs(s.FromFile)
		if err != nil {
			name = s.FromFile
		}
		flags += " --config " + quoted(name)
	}
	return flags
}

// serveLine is the command that starts the server at the configured address, on the data directory of this command.
func (p *program) serveLine() string { return p.serveLineAt(p.settings.Listen) }

func (p *program) serveLineAt(listen string) string {
	line := p.onSameData("loci serve")
	if listen != defaultListen {
		line += " --listen " + listen
	}
	return line
}
