package main

import (
	"context"
	"net/url"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil
}

// welcome prints the address and, when there was never a key in this data
// directory, the first ones: to standard output only, and only this once.
// Kinds of keys that the environment brings are not made.
func (p *program) welcome(ctx context.Context, in *instance, address, reachable string) error {
	fresh, err := in.neverHadKeys(ctx)
	if err != nil {
		return err
	}
	var owner loci.Secret
	keys := map[string]loci.Secret{}
	if fresh && p.settings.OwnerKey == "" {
		if _, owner, err = in.app.CreateKey(ctx, in.operator, auth.KeyRequest{Name: "owner"}); err != nil {
			return err
		}
	}
	if fresh && len(p.settings.AgentKeys) == 0 {
		for _, c := range clients {
			if _, keys[c.id], err = in.app.CreateKey(ctx, in.operator, auth.KeyRequest{Name: c.name, Vendor: c.vendor}); err != nil {
				return err
			}
		}
	}
	p.printf("Loci listens on %s\n", address)
	if p.settings.PublicURL == "" && reachable != address {
		p.printf("On this machine it is %s\n", reachable)
	}
	if p.settings.PublicURL != "" {
		p.printf("People reach it at %s\n", p.settings.PublicURL)
	}
	p.printf("Memories are in %s\n", p.settings.DataDir)
	if owner == "" && len(keys) == 0 {
		p.printf("Make keys with: loci agent-key create --vendor claude --name NAME, loci key create --name NAME\n")
		p.printf("or let Loci configure a client: loci connect claude-code|cursor|codex\n")
		return nil
	}
	p.printFirstKeys(reachable, owner, keys)
	return p.unwritten // keys that nobody saw are of no use
}

func (p *program) printFirstKeys(address string, owner loci.Secret, keys map[string]loci.Secret) {
	p.printf("\nThis is the first start. The keys below are shown only now: keep what you need.\n")
	if owner != "" {
		p.printf("\nYour own key, for the REST API and scripts:\n\n    %s\n", owner.Reveal())
	}
	for _, c := range clients {
		if key := keys[c.id]; key != "" {
			p.printf("\n%s\n", c.instructions(address, key))
		}
	}
	p.printf("\nOther assistants: loci agent-key create --vendor VENDOR --name NAME\n")
}

// neverHadKeys reports whether no key was ever stored, not even a revoked one.
func (in *instance) neverHadKeys(ctx context.Context) (bool, error) {
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := in.app.Keys(ctx, in.operator, kind)
		if err != nil || len(keys) > 0 {
			return false, err
		}
	}
	return true, nil
}
