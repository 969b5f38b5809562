package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// ownEntry is Loci's own entry in a client's file.
type ownEntry struct {
	value map[string]any
	key   loci.Secret       // "" over stdio
	keyID loci.CredentialID // zero over stdio
}

// ownEntry returns the entry that connect wrote into a client's file, or nil. Only here Loci recognises it. What counts
// is its meaning, because people and programs reformat these files: it has a key that connect created for the client,
// or it starts Loci on this data. Without a connection, n is nil.
func (p *program) ownEntry(c *client, n *connection, keys []loci.Credential, now *clientfile.File) *ownEntry {
	value := clientfile.Entry(c.format, now.Parsed)
	if key := clientfile.KeyIn(fmt.Sprint(value)); key != "" {
		if id := connectedKey(c, n, keys, key); !id.IsZero() {
			return &ownEntry{value, key, id}
		}
		return nil
	}
	words := clientfile.Words(value)
	if n != nil && n.Command != "" {
		recorded := append([]string{n.Command}, n.Args...)
		if slices.Equal(words, recorded) || startsWith(words, p.starting(c, n.Command)) {
			return &ownEntry{value: value}
		}
	}
	if binary, err := os.Executable(); err == nil && startsWith(words, p.starting(c, binary)) {
		return &ownEntry{value: value}
	}
	return nil
}

// otherEntry reports whether the entry with the name of Loci's leads to a Loci, but neither connect for this data
// directory nor the person with a key of this directory wrote it: probably connect for another directory did.
func (p *program) otherEntry(c *client, n *connection, keys []loci.Credential, now *clientfile.File) bool {
	value := clientfile.Entry(c.format, now.Parsed)
	if p.ownEntry(c, n, keys, now) != nil || !clientfile.LeadsToLoci(value) {
		return false
	}
	key := clientfile.KeyIn(fmt.Sprint(value))
	return key == "" || !slices.ContainsFunc(keys, func(k loci.Credential) bool { return k.Hash == auth.Hash(key) })
}

// strays returns the names of the entries in the file that have a key of connect, but not under the names that Loci
// gives them: a person renamed or copied them. n may be nil.
func (p *program) strays(c *client, n *connection, keys []loci.Credential,
	now *clientfile.File) (list []stray, err error) {
	own := []string{clientfile.ServerName, c.format.EntryName()}
	replaced, err := p.connection(c.replacing(""))
	if err != nil {
		return nil, err
	}
	if replaced != nil {
		own = append(own, replaced.Name)
	}
	fix := "remove it by hand"
	if clientfile.Entry(c.format, now.Parsed) == nil {
		fix += ", or rename it to " + quoted(c.format.EntryName())
	}
	servers, _ := now.Parsed[c.format.Table()].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		key := clientfile.KeyIn(fmt.Sprint(servers[name]))
		if key == "" || slices.Contains(own, name) {
			continue
		}
		if id := connectedKey(c, n, keys, key); !id.IsZero() {
			list = append(list, stray{name, id, fix})
		}
	}
	return list, nil
}

// stray is an entry with a key of connect under a name that a person chose. Loci does not change it until disconnect.
type stray struct {
	name  string
	keyID loci.CredentialID
	fix   string
}

// text names the entry and what is wrong with its key, if anything.
func (s *stray) text(c *client, file, fault string) string {
	text := "entry " + quoted(s.name) + " of " + c.name + " in " + file + " has a key of this Loci"
	if fault != "" {
		text += ", which " + fault
	}
	return text
}

// withoutStrays removes such entries from what disconnect leaves of a file.
func (p *program) withoutStrays(c *client, n *connection, keys []loci.Credential, after []byte,
	remains bool) ([]byte, bool, error) {
	file, err := clientfile.Parse(c.format, c.id, n.File, after)
	if err != nil {
		return nil, false, err
	}
	list, err := p.strays(c, n, keys, file)
	if len(list) == 0 || err != nil {
		return after, remains, err
	}
	for _, s := range list {
		if after, err = clientfile.Change(c.format.Named(s.name), file, after, nil); err != nil {
			return nil, false, err
		}
	}
	if n.Existed {
		return after, remains, nil
	}
	empty, err := clientfile.HoldsNothing(c.format, after)
	return after, remains && !empty, err
}

// connectedKey returns the id of a key if connect created it for the client, or if a rotation replaced such a
// key: both have the same name.
func connectedKey(c *client, n *connection, keys []loci.Credential, key loci.Secret) (id loci.CredentialID) {
	if n != nil && n.KeyHash == hashOf(key) {
		return n.KeyID
	}
	for i := range keys {
		if k := &keys[i]; k.Hash == auth.Hash(key) && isConnected(c, k) {
			return k.ID
		}
	}
	return id
}

// hashOf is the stored form of a key; an entry over stdio has none.
func hashOf(key loci.Secret) string {
	if key == "" {
		return ""
	}
	hash := auth.Hash(key)
	return hex.EncodeToString(hash[:])
}

// isConnected reports whether a key has the name of those that connect creates for the client.
func isConnected(c *client, k *loci.Credential) bool {
	return k.Name == keyName(c, keyConnected) && k.Vendor == c.vendor
}

// startsWith reports whether a command is the one of an endpoint, with any options that connect writes.
func startsWith(words []string, e *clientfile.Endpoint) bool {
	start := append([]string{e.Command}, e.Args...)
	if len(words) < len(start) || !slices.Equal(words[:len(start)], start) {
		return false
	}
	rest := words[len(start):]
	for len(rest) >= 2 && slices.Contains([]string{"--compat", "--toolsets", "--project"}, rest[0]) {
		rest = rest[2:]
	}
	return len(rest) == 0
}

// reaches reports whether the entry means the endpoint, apart from the key. What a person added to the entry does not
// count.
func (o *ownEntry) reaches(f clientfile.Format, e *clientfile.Endpoint) (bool, error) {
	like := *e
	like.Key = o.key
	return clientfile.Reaches(f, o.value, &like)
}

// wanted is how a client should reach Loci, and what it is offered there.
type wanted struct {
	stdio bool
	base  string // the address of the server; "": the running one
	offer clientfile.Offer
}

// wanted returns what the flags of connect choose for a client. What they leave out stays as in the client's entry of
// this data directory.
func (p *program) wanted(ctx context.Context, in *instance, c *client, o *connecting) (wanted, error) {
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return wanted{}, err
	}
	return p.wantedWith(c, keys, o)
}

func (p *program) wantedWith(c *client, keys []loci.Credential, o *connecting) (w wanted, err error) {
	w.stdio = c.stdio || o.stdio
	if !c.stdio && !o.given("stdio") {
		w.stdio = o.replace && !p.settings.Asked
	}
	if !o.show && p.settings.Home != "" {
		err = p.keep(c, keys, o, &w)
	}
	if o.given("toolsets") {
		w.offer.Toolsets, w.offer.Compat = strings.Join(o.toolsets, ","), ""
	}
	if o.given("project") {
		w.offer.Project = o.project
	}
	return w, err
}

// keep takes what the flags leave out from the client's entry, if it is Loci's own.
func (p *program) keep(c *client, keys []loci.Credential, o *connecting, w *wanted) error {
	file, err := c.readFile(c.file(p.settings))
	if err != nil {
		return err
	}
	n, err := p.connection(c)
	if err != nil {
		return err
	}
	own := p.ownEntry(c, n, keys, file)
	if own == nil {
		return nil
	}
	var address string
	w.offer, address = clientfile.Offered(own.value)
	if w.offer.Toolsets != "" && !o.given("toolsets") { // a person may have edited the entry
		sets, err := mcpserver.ParseToolsets(w.offer.Toolsets)
		if err != nil {
			return loci.WrapError(loci.Invalid, err, "cannot keep the toolsets of %s in %s: %s; pass --toolsets", c.name,
				file.Name, err)
		}
		w.offer.Toolsets = strings.Join(sets, ",")
	}
	if !c.stdio && !o.given("stdio") && !p.settings.Asked {
		w.stdio = address == ""
	}
	if base := clientfile.BaseOf(address); base != "" && p.keepsAddress(base) {
		w.base = base
	}
	return nil
}

// keepsAddress reports whether connect leaves the address of a client's server, because neither a flag, nor the
// settings, nor the running server tell another one for all machines, and a server may be there.
func (p *program) keepsAddress(base string) bool {
	server := p.server().URL
	return !p.settings.Asked && p.settings.PublicURL == "" && (server == "" || isLoopbackURL(server)) && p.mayAnswer(base)
}

// mayAnswer reports whether a server may be at an address: another machine's, or one of this machine where it runs.
func (p *program) mayAnswer(base string) bool { return !isLoopbackURL(base) || p.runsAt(base) }

// runsAt reports whether a process that runs on the data directory has this address.
func (p *program) runsAt(base string) bool {
	address, err := url.Parse(base)
	return err == nil && slices.ContainsFunc(p.processes(), func(r running) bool {
		return r.URL == base || localURL(r.Listen) == localURL(address.Host)
	})
}

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
