package main

import (
	"context"
	"net"
	"net/url"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil
}

// welcome prints the address and, if this data directory never had a key, the first ones: to standard output only, and
// only this once. It creates no keys of a kind that the environment sets.
func (p *program) welcome(ctx context.Context, in *instance, address net.Addr) error {
	owner, keys, err := p.firstKeys(ctx, in)
	if err != nil {
		return err
	}
	first := owner != "" || len(keys) > 0
	link := ""
	if first { // before printing: it writes, and may be interrupted
		if link, err = p.firstLink(ctx, in, address); err != nil {
			return err
		}
	}
	listens, reachable := "http://"+p.listening(address), p.reachable(address.String())
	p.printf("Loci listens on %s\n", listens)
	if p.settings.PublicURL == "" && reachable != listens {
		p.printf("On this machine, use %s\n", reachable)
	}
	if p.settings.PublicURL != "" {
		p.printf("People reach it at %s\n", p.settings.PublicURL)
	}
	p.printf("Memories are in %s\n", p.settings.where())
	if !first {
		if p.hasBrowsers(address) {
			p.printf("Sign in: loci user link\n")
		}
		p.printf("Create keys: loci agent-key create --vendor claude --name NAME, loci key create --name NAME\n")
		p.printf("Configure a client: loci connect %s\n", clientNames("|"))
		return nil
	}
	p.printFirstKeys(reachable, owner, keys)
	if link != "" {
		p.printf("\nSign in with your browser, once, within 15 minutes. For another link, run: loci user link\n\n    %s\n",
			link)
	}
	p.printf("\nTo import from the reference memory server: loci graph import memory.json --project NAME --create\n")
	p.printf("For other assistants: loci agent-key create --vendor VENDOR --name NAME\n")
	return p.unwritten // nobody can use keys that were not printed
}

// firstKeys creates the first keys, once in the life of a data directory.
func (p *program) firstKeys(ctx context.Context, in *instance) (owner loci.Secret, keys map[string]loci.Secret,
	err error) {
	fresh, err := in.neverHadKeys(ctx)
	if err != nil || !fresh {
		return "", nil, err
	}
	keys = map[string]loci.Secret{}
	if p.settings.OwnerKey == "" {
		if _, owner, err = in.app.Identity.CreateKey(ctx, in.operator, auth.KeyRequest{Name: "owner"}); err != nil {
			return "", nil, err
		}
	}
	if len(p.settings.AgentKeys) == 0 {
		for _, c := range clients {
			if _, keys[c.id], err = in.app.Identity.CreateKey(ctx, in.operator,
				auth.KeyRequest{Name: c.name, Vendor: c.vendor}); err != nil {
				return "", nil, err
			}
		}
	}
	return owner, keys, nil
}

// firstLink is a sign-in link for the person at this machine. Anyone who reads it can sign in, so there is none if
// other machines can reach the server. The host is localhost because passkeys require a name.
func (p *program) firstLink(ctx context.Context, in *instance, address net.Addr) (string, error) {
	if !isLoopback(address) {
		return "", nil
	}
	token, err := in.app.Identity.NewLink(ctx, in.operator, in.operator.UserID)
	if err != nil {
		return "", err
	}
	base := p.settings.PublicURL
	if base == "" {
		_, port, err := net.SplitHostPort(address.String())
		if err != nil {
			return "", err
		}
		base = "http://" + net.JoinHostPort("localhost", port)
	}
	return signInLink(base, token), nil
}

func (p *program) printFirstKeys(address string, owner loci.Secret, keys map[string]loci.Secret) {
	p.printf("\nThis is the first start. Loci shows the keys below only now: keep those you need.\n")
	if owner != "" {
		p.printf("\nYour key, for the REST API and scripts:\n\n    %s\n", owner.Reveal())
	}
	for _, c := range clients {
		if key := keys[c.id]; key != "" {
			p.printf("\n%s\n", c.instructions(&endpoint{URL: mcpURL(address), Key: key}))
		}
	}
}

// neverHadKeys reports whether there never was a key, not even a revoked one.
func (in *instance) neverHadKeys(ctx context.Context) (bool, error) {
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := in.app.Identity.Keys(ctx, in.operator, kind)
		if err != nil || len(keys) > 0 {
			return false, err
		}
	}
	return true, nil
}
