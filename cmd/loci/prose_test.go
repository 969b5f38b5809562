package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inProse   = regexp.MustCompile("`loci( [^`]+)`")
	oneWord   = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	quoteMark = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
	ofShell   = regexp.MustCompile(` [|<>#].*`) // what follows a command
)

// placeholders are valid values for the words that a document uses for an id or a number.
var placeholders = map[string]string{"ID": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", "VERSION": "2",
	"FROM": "1", "TO": "2", "IDS": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", "ASSET": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e",
	"MEMORY": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", "EVENT": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"}

// TestCommandsInProse parses the commands in the sentences and tables of the documents. An integration test runs those
// in blocks.
func TestCommandsInProse(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inProse.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			seen++
			if err := parses(strings.ReplaceAll(m[1], `\|`, "|")); err != nil {
				t.Errorf("%s: loci %s: %s", file, strings.Join(strings.Fields(m[1]), " "), err)
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d commands were found", seen)
	}
}

// TestExamplesInHelp parses the examples of each command.
func TestExamplesInHelp(t *testing.T) {
	seen := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(line), "loci "); ok {
				seen++
				if err := parses(command); err != nil {
					t.Errorf("the help of %s: loci %s: %s", c.CommandPath(), command, err)
				}
			}
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk((&program{in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &bytes.Buffer{}}).root())
	if seen < 30 {
		t.Errorf("only %d examples were found", seen)
	}
}

// parses checks a command line as far as it goes before it opens anything. A sentence may leave out the arguments of a
// command, and what it reads.
func parses(line string) error {
	var words []string
	for _, word := range oneWord.FindAllString(ofShell.ReplaceAllString(line, ""), -1) {
		if value, ok := placeholders[word]; ok {
			word = value
		}
		words = append(words, quoteMark.ReplaceAllString(word, "$1$2"))
	}
	p := &program{in: strings.NewReader("what a command reads"), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	root := p.root()
	refuseUnknown(root, words)
	cmd, rest, err := root.Find(words)
	if err != nil || len(rest) == 0 {
		return err
	}
	err = cmd.ParseFlags(rest)
	args := cmd.Flags().Args()
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil
	case err != nil || strings.Contains(line, "…"):
		return err
	case len(args) == 0 && cmd.ValidateArgs(args) != nil:
		return nil
	}
	if err := errors.Join(cmd.ValidateArgs(args), missingFlags(cmd)); err != nil || cmd.PreRunE == nil {
		return err
	}
	// whether a time of today has passed depends on when the test runs
	if err := cmd.PreRunE(cmd, args); err != nil && !strings.Contains(err.Error(), "is later today") {
		return err
	}
	return nil
}
