package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

// rest returns the files of a client, apart from the one in use, that have an entry of connect. The client may have
// several files at once, or had another one when it was connected.
func (p *program) rest(c *client, n *connection, keys []loci.Credential, use string) (list []*clientfile.File) {
	names := c.files(p.settings)
	if n != nil {
		names = append(names, n.File)
	}
	for _, name := range loci.Unique(names) {
		if name == use {
			continue
		}
		if file, err := c.readFile(name); err == nil && p.ownEntry(c, n, keys, file) != nil {
			list = append(list, file)
		}
	}
	return list
}

// clean removes Loci's entry from files, or only shows how.
func (p *program) clean(c *client, list []*clientfile.File, write bool) error {
	for _, file := range list {
		after, err := clientfile.Change(c.format, file, file.Text, nil)
		if err == nil && write {
			err = p.writeSettings(file, after)
		}
		if err != nil {
			return err
		}
		if !write {
			p.note("This removes another entry of Loci from %s:\n%s", file.Name, clientfile.Difference(file.Text, after))
		}
	}
	return nil
}

func (p *program) cleanRest(ctx context.Context, in *instance, c *client, n *connection) error {
	keys, err := in.agentKeys(ctx)
	list := p.rest(c, n, keys, n.File)
	if err != nil || len(list) == 0 {
		return err
	}
	if err := p.clean(c, list, false); err != nil {
		return err
	}
	if err := p.agreed(ctx, "Write it?", "disconnect "+c.name, "--yes"); err != nil {
		return err
	}
	return p.clean(c, list, true)
}

// noteOddities tells what is unusual about a file that connect is to change.
func (p *program) noteOddities(c *client, file *clientfile.File) {
	if odd := file.Odd(c.format); odd != "" && (c.id == "claude-desktop" || c.id == "cursor") {
		p.note("%s has %s. Loci leaves that, but %s itself may not read such a file.", file.Name, odd, c.name)
	}
	if info, err := os.Stat(file.Name); err == nil && info.Mode().Perm()&0o200 == 0 {
		p.note("%s is read-only (mode %o). Loci changes it nevertheless; disconnect restores the mode.", file.Name,
			info.Mode().Perm())
	}
}

// deadKeys finds the keys in clients' files that no longer work and that keyedEntries does not know: a person put them
// there, or a connection of which nothing is recorded any more.
func (p *program) deadKeys(ctx context.Context, in *instance, keys []loci.Credential) (list []outdated, err error) {
	for _, c := range clients {
		n, err := p.connection(c)
		if err != nil {
			continue // startingClients reports it
		}
		for _, name := range c.read(p.settings) {
			file, err := c.readFile(name)
			if err != nil || p.settings.Home == "" {
				continue
			}
			servers, _ := file.Parsed[c.format.Table()].(map[string]any)
			for _, entry := range slices.Sorted(maps.Keys(servers)) {
				key := clientfile.KeyIn(fmt.Sprint(servers[entry]))
				if key == "" || n != nil && n.File == name && !connectedKey(c, n, keys, key).IsZero() {
					continue
				}
				fault, err := p.deadKey(ctx, in, keys, servers[entry], key)
				if err != nil {
					return list, err
				}
				if fault == "" {
					continue
				}
				o := outdated{text: "the key of " + c.name + " in the entry " + quoted(entry) + " of " + name + " " + fault,
					how: "remove the entry"}
				if slices.Contains(c.files(p.settings), name) {
					o.how, o.fix = o.how+", or for a new key run: ", "loci connect "+c.id
				}
				list = append(list, o)
			}
		}
	}
	return list, nil
}

// deadKey tells why a key in an entry does not work here, or "". An unknown one may be for another Loci, unless the
// entry has the address of this one.
func (p *program) deadKey(ctx context.Context, in *instance, keys []loci.Credential, entry any,
	key loci.Secret) (string, error) {
	for i := range keys {
		if k := &keys[i]; hashOf(key) == fmt.Sprintf("%x", k.Hash) {
			if keyStatus(k) == "valid" {
				return "", nil
			}
			return p.keyFault(keys, k.ID), nil
		}
	}
	fields, _ := entry.(map[string]any)
	_, address := clientfile.Offered(fields)
	if base := clientfile.BaseOf(address); base == "" || !p.runsAt(base) && base != p.settings.PublicURL {
		return "", nil
	}
	if known, err := in.hasKey(ctx, key); known || err != nil {
		return "", err
	}
	return "is unknown to this Loci", nil
}
