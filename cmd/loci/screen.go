package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/loci-memory/loci"
)

// screen is what Loci knows about standard output. It is zero unless that is a terminal.
type screen struct {
	terminal      bool
	styled        bool // bold is allowed
	width, height int
	pager         []string // the program that shows long output, and its arguments
}

// findScreen describes standard output for the settings.
func (p *program) findScreen(s *settings) screen {
	if !isTerminal(p.out) {
		return screen{}
	}
	out := screen{terminal: true, styled: !s.NoColor && s.Terminal != "dumb"}
	out.width, out.height, _ = term.GetSize(int(p.out.(*os.File).Fd())) // 0 if unknown
	if !p.noPager && s.Terminal != "dumb" {
		out.pager = s.Pager
	}
	return out
}

// bold emphasises text in a terminal.
func (p *program) bold(text string) string {
	if !p.screen.styled || text == "" {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

// shortID is an id for a person to read and type: its beginning in a terminal, all of it anywhere else.
func (p *program) shortID(id string, length int) string {
	if !p.screen.terminal || len(id) < length {
		return id
	}
	return id[:length]
}

// shortLength returns how many characters tell these ids apart.
func shortLength(ids []string) int {
	for n := loci.ShortID; ; n++ {
		seen := map[string]string{}
		for _, id := range ids {
			start := id[:min(n, len(id))]
			if other, ok := seen[start]; ok && other != id {
				break
			}
			seen[start] = id
		}
		if len(seen) == len(loci.Unique(ids)) {
			return n
		}
	}
}

// paged calls write, and shows its output in the person's pager if it is longer than the terminal.
func (p *program) paged(write func()) {
	if p.screen.pager == nil || p.screen.height == 0 {
		write()
		return
	}
	out, pager := p.out, p.screen.pager
	var text bytes.Buffer
	p.out, p.screen.pager = &text, nil // what write calls is shown together
	write()
	p.out, p.screen.pager = out, pager
	if linesOn(text.String(), p.screen.width) >= p.screen.height && p.runPager(text.Bytes()) == nil {
		return
	}
	_, err := p.out.Write(text.Bytes())
	p.wrote(err)
}

// runPager returns an error if it cannot start the pager. It ignores the pager's exit status, because
// people quit a pager at any time.
func (p *program) runPager(text []byte) error {
	pager := p.screen.pager
	cmd := exec.Command(pager[0], pager[1:]...) //nolint:noctx // Ctrl-C is for the pager to handle
	cmd.Env = append(slices.Clone(p.environ), "LESS=FRX")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), p.out, p.err
	if err := cmd.Start(); err != nil {
		return err
	}
	_ = cmd.Wait()
	return nil
}

// linesOn returns how many lines of a terminal a text takes.
func linesOn(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n++
		if width > 0 { // 0 is unknown
			n += max(0, lipgloss.Width(line)-1) / width
		}
	}
	return n
}
