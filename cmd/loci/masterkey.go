package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/seal"
)

func (p *program) keygenCommand() *cobra.Command {
	return group("keygen", "Generate keys that Loci does not store", "Generate keys that Loci does not store.",
		&cobra.Command{
			Use: "master", Short: "Print a new master key",
			Annotations: needsNoAction("prints a random number"),
			Long: `Print a new master key: 32 random bytes in base64. Put it into LOCI_MASTER_KEY of every
process that uses the data directory, and keep a copy elsewhere: without it, nobody
can read the API keys of Arc that it encrypts. Loci never writes it to disk.`,
			RunE: func(*cobra.Command, []string) error {
				key := seal.Generate()
				parsed, err := seal.ParseKey(key)
				if err != nil {
					return err
				}
				return p.answer(map[string]string{"key": key.Reveal(), "id": parsed.ID()}, nil, "%s", key.Reveal())
			},
		})
}

func (p *program) masterKeyCommand() *cobra.Command {
	rotate := p.acting(operator, &cobra.Command{
		Use: "rotate", Short: "Encrypt all API keys of Arc with a new master key", Annotations: does(org.MasterRotate),
		Long: `Encrypt all API keys of Arc with a new master key, all of them or none. The present
master key is in LOCI_MASTER_KEY. The new one is in LOCI_NEW_MASTER_KEY; otherwise, Loci
asks for it, or reads a line of standard input.

To rotate without an interruption, first restart the servers with both variables: they
open keys with either. Then run this command, move the new key to LOCI_MASTER_KEY and
restart the servers again.`,
		Example: `  loci master-key rotate < new-master-key.txt`,
	}, func(ctx context.Context, c *call) error {
		next, err := p.nextMaster(ctx)
		if err != nil {
			return err
		}
		n, err := c.app.Org.Reseal(ctx, c.operator, next)
		if err == nil && !p.json {
			p.note("From now on, set LOCI_MASTER_KEY to the new key.")
		}
		return p.answer(map[string]any{"arcs": n, "master_key_id": next.ID()}, err, "encrypted %s with the master key %s",
			loci.Plural(n, "API key", "API keys"), next.ID())
	})
	return group("master-key", "Change the key that encrypts the API keys of Arc",
		"Change the master key, which encrypts the API keys of Arc.", rotate)
}

// nextMaster returns the new master key: that of the variable, which is the last one, or one from standard input.
func (p *program) nextMaster(ctx context.Context) (*seal.Key, error) {
	if n := len(p.settings.Master); n > 1 {
		return p.settings.Master[n-1], nil
	}
	text, err := p.askSecret(ctx, "new master key")
	if err != nil {
		return nil, err
	}
	return seal.ParseKey(text)
}

// loadMaster adds a master key. The present one comes first, whatever the order of the variables.
func (s *settings) loadMaster(name string, text loci.Secret) error {
	key, err := seal.ParseKey(text)
	if err != nil {
		return loci.Errorf(loci.Invalid, "variable %s: %s", name, err)
	}
	if s.Master = append(s.Master, key); name == masterVariable {
		slices.Reverse(s.Master)
	}
	return nil
}
