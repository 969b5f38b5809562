package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	wire "github.com/loci-memory/loci/client"
)

// answerer is what answers at an address of this machine.
type answerer int

const (
	noLoci    answerer = iota // nothing, or another program
	thisLoci                  // a server of this data directory
	otherLoci                 // a server of another one, which knows none of the keys of this one
)

// answerTime is how long a server may take to say who it is. A busy machine needs more than a second.
const answerTime = 5 * time.Second

// answererAt finds out what answers at an address. A server tells a random name of its start, which only those who can
// read its data directory can recognise.
func (p *program) answererAt(ctx context.Context, address string) answerer {
	health, ok := askHealth(ctx, address)
	if !ok {
		return noLoci
	}
	if slices.ContainsFunc(p.processes(), func(r running) bool {
		return r.Listen == address || r.Instance != "" && r.Instance == health.Instance
	}) {
		return thisLoci
	}
	return otherLoci
}

// askHealth returns the health of the Loci server at an address, or false if there is none.
func askHealth(ctx context.Context, address string) (health wire.Health, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return health, false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return health, false
	}
	defer answer.Body.Close()
	err = json.NewDecoder(io.LimitReader(answer.Body, 4096)).Decode(&health)
	return health, err == nil && answer.StatusCode == http.StatusOK && health.Service == "loci"
}

// answersAs tells which program uses an address, if it is not a server of this data directory.
func (p *program) answersAs(ctx context.Context, address string) string {
	if p.answererAt(ctx, address) == otherLoci {
		return " by another loci, with another data directory than " + p.settings.DataDir
	}
	return " by another program"
}

// whatAnswers describes the server of another data directory at an address.
func (p *program) whatAnswers(address string) string {
	return "the Loci that answers at " + localURL(address) + " uses another data directory than this command, " +
		p.settings.DataDir
}

// usesAddress describes the program that keeps a server of this data directory from an address, and what the person can
// do. It returns "" if there is none.
func (p *program) usesAddress(ctx context.Context, address string) (what, wayOut string) {
	switch p.answererAt(ctx, address) {
	case otherLoci:
		return p.whatAnswers(address) + ", and would reject the keys of this one", p.besideOther(address)
	case noLoci:
		if isTaken(ctx, address) {
			return "another program uses " + address, "stop that program, or start Loci beside it and connect again: " +
				p.serveLineBeside(address)
		}
	case thisLoci:
	}
	return "", ""
}

// isTaken reports whether a program listens on an address of this machine.
func isTaken(ctx context.Context, address string) bool {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close()
	}
	return isInUse(err)
}

// besideOther tells what to do about the server of another data directory at an address.
func (p *program) besideOther(address string) string {
	return "to use that Loci, pass its --data-dir; to use this data directory, stop that Loci, or run: " +
		p.serveLineBeside(address)
}

// serveLineBeside is the command that starts the server of this data directory beside what uses an address.
func (p *program) serveLineBeside(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil {
		address = net.JoinHostPort(host, nextPort(port))
	}
	return p.serveLineAt(address)
}

// notRunning tells that no server of this data directory answers at an address, and what to do; "": one does.
func (p *program) notRunning(ctx context.Context, address string) string {
	switch p.answererAt(ctx, address) {
	case thisLoci:
		return ""
	case otherLoci:
		return p.whatAnswers(address) + "; " + p.besideOther(address)
	case noLoci:
	}
	return "the server is not running; start it with: " + p.serveLine(ctx)
}
