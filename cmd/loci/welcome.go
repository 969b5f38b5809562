package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"

	"github.com/loci-memory/loci"
)

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil
}

// welcome prints where the server is and what to do next. The first start prints a link that signs the person in. It
// prints no keys: they belong to the clients, and connect creates each when it is needed.
func (p *program) welcome(ctx context.Context, in *instance, address net.Addr, first bool) error {
	link := ""
	if first { // before printing: it writes, and may be interrupted
		var err error
		if link, err = p.firstLink(ctx, in, address); err != nil {
			return err
		}
	}
	reachable := localURL(address.String())
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		p.printf("Loci listens on http://%s\n", p.listening(address))
		p.printf("On this machine, use %s\n", reachable)
	} else {
		p.printf("Loci listens on %s\n", reachable)
	}
	if p.settings.PublicURL != "" {
		p.printf("People reach it at %s\n", p.settings.PublicURL)
	}
	p.printf("Memories are in %s\n", p.settings.where())
	switch {
	case link != "":
		p.printf("Open this link to sign in, once, within 15 minutes: %s\n", link)
	case p.hasBrowsers(address):
		p.printf("Sign in: run %s\n", p.onSameData("loci open"))
	}
	p.printf("Connect your assistants: run %s\n", p.onSameData("loci connect"))
	p.printf("%s\n", lastLine)
	return p.unwritten // nobody can use a link that was not printed
}

// lastLine ends what the server prints at its start.
const lastLine = "Stop with Ctrl-C"

// isFirst reports whether no server has run on the data directory, and nobody could sign in or use a key.
func (p *program) isFirst(ctx context.Context, in *instance) (bool, error) {
	if _, err := os.Stat(p.settings.runningDir()); !errors.Is(err, fs.ErrNotExist) || p.bringsCredentials() {
		return false, nil
	}
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := in.app.Identity.Keys(ctx, in.operator, kind)
		if err != nil || len(keys) > 0 {
			return false, err
		}
	}
	return true, nil
}

// firstLink is a sign-in link for the person at this machine. Anyone who reads it can sign in, so there is none if
// other machines can reach the server.
func (p *program) firstLink(ctx context.Context, in *instance, address net.Addr) (string, error) {
	if !isLoopback(address) || !p.hasBrowsers(address) {
		return "", nil
	}
	token, err := in.app.Identity.NewLink(ctx, in.operator, in.operator.UserID)
	if err != nil {
		return "", err
	}
	return signInLink(p.serves(address).URL, token), nil
}
