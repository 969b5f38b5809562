package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

// connection records what connect did, so that disconnect can undo it. It is in the data directory, beside a copy of
// the client's original file.
type connection struct {
	Client   string             `json:"client"`
	Name     string             `json:"name,omitempty"`    // of the entry, if it is not loci
	Project  string             `json:"project,omitempty"` // into which connect imported the graph of the replaced server
	File     string             `json:"file"`
	Existed  bool               `json:"existed"`        // the file has more than Loci wrote
	Mode     fs.FileMode        `json:"mode,omitempty"` // of the file before; 0: unknown, or there was none
	URL      string             `json:"url,omitempty"`
	Command  string             `json:"command,omitempty"`
	Args     []string           `json:"args,omitempty"`
	KeyID    loci.CredentialID  `json:"key_id,omitzero"`
	KeyHash  string             `json:"key_hash,omitempty"` // SHA-256 of the key
	Previous string             `json:"previous,omitempty"` // the entry that it replaced
	Written  string             `json:"written"`            // SHA-256 of the whole file then
	original []byte             // the file before, without Loci's entry
	rest     []*clientfile.File // the client's other files with an entry of Loci
	updates  bool               // it changes an entry of Loci, and keeps what a person added
}

const (
	recordSuffix = ".json"
	backupSuffix = ".before"
)

func (p *program) connectionFile(id, suffix string) string {
	return filepath.Join(p.settings.DataDir, "connections", id+suffix)
}

// connection returns what connect did for a client, or nil.
func (p *program) connection(c *client) (*connection, error) {
	name := p.connectionFile(c.record, recordSuffix)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var n connection
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, loci.WrapError(loci.Conflict, err, "cannot read %s: it is damaged; remove it, and Loci's entry in %s",
			name, c.file(p.settings))
	}
	if n.Existed {
		n.original, err = os.ReadFile(p.connectionFile(c.record, backupSuffix))
	}
	return &n, err
}

func (p *program) keepConnection(c *client, n *connection) error {
	if n.Existed {
		if err := clientfile.WritePrivate(p.connectionFile(c.record, backupSuffix), n.original); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return clientfile.WritePrivate(p.connectionFile(c.record, recordSuffix), append(text, '\n'))
}

// writeConnection keeps the record and a copy of the file, and writes the file. If that fails, the record is as before.
func (p *program) writeConnection(c *client, n, old *connection, file *clientfile.File, after []byte) error {
	err := p.keepConnection(c, n)
	if err == nil {
		err = file.Replace(after)
	}
	switch {
	case err == nil:
		return nil
	case old == nil:
		return errors.Join(err, p.forgetConnection(c))
	}
	return errors.Join(err, p.keepConnection(c, old))
}

func (p *program) forgetConnection(c *client) error {
	var failed []error
	for _, suffix := range []string{backupSuffix, recordSuffix} { // there is no backup if the client had no file
		if err := os.Remove(p.connectionFile(c.record, suffix)); !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// undo returns the client's file without the connection, and whether there should be one: the original bytes if nobody
// changed the file since, otherwise with only Loci's entry restored or removed. own reports whether the file still has
// that entry.
func (n *connection) undo(f clientfile.Format, now *clientfile.File, own bool) (after []byte, remains bool, err error) {
	switch {
	case n.Existed && digest(now.Text) == n.Written:
		return n.original, true, nil
	case !own:
		return now.Text, now.Existed, nil
	case n.Previous != "":
		after, err = clientfile.Change(f, now, now.Text, []byte(n.Previous))
		return after, true, err
	}
	if after, err = clientfile.Change(f, now, now.Text, nil); err != nil || n.Existed {
		return after, true, err
	}
	empty, err := clientfile.HoldsNothing(f, after)
	return after, !empty, err
}

// original returns what a client's file would be without Loci, and whether there would be one. It never has Loci's own
// entry, nor that of another data directory: disconnect would restore a key that is or will be revoked.
func original(f clientfile.Format, old *connection, now *clientfile.File, own, other bool) (before []byte, existed bool,
	err error) {
	before, existed = now.Text, now.Existed
	if old != nil && old.File == now.Name { // connected before: the original is that of the first time
		before, existed, err = old.undo(f, now, own)
	} else if own {
		before, err = clientfile.Change(f, now, now.Text, nil)
	}
	if other && err == nil {
		before, err = clientfile.Change(f, now, before, nil)
	}
	return before, existed, err
}

// modeBefore returns who may read a client's file without Loci. Connect makes it private.
func modeBefore(old *connection, now *clientfile.File) (fs.FileMode, error) {
	if old != nil && old.File == now.Name {
		return old.Mode, nil
	}
	if !now.Existed || clientfile.KeyIn(string(now.Text)) != "" {
		return 0, nil
	}
	info, err := os.Stat(now.Name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// These tell a person by its name what a key is for. Only disconnect revokes one of a client that it knows.
const (
	keyConnected = "connected"
	keyPrinted   = "printed"
)

func keyName(c *client, how string) string { return c.name + " (" + how + ")" }

func replacedKeys(keys []loci.Credential, id loci.CredentialID) (line []loci.CredentialID) {
	before := map[loci.CredentialID]loci.CredentialID{}
	for _, k := range keys {
		before[k.ID] = k.Replaces
	}
	for ; !id.IsZero(); id = before[id] {
		line = append(line, id)
	}
	return line
}

// comesFrom reports whether a key is that of a connection, or one that rotation put in its place.
func comesFrom(keys []loci.Credential, k *loci.Credential, n *connection) bool {
	return slices.Contains(replacedKeys(keys, k.ID), n.KeyID)
}

// keyFault tells why a client should get another key than this one, or "". A connection over stdio has none.
func (p *program) keyFault(keys []loci.Credential, id loci.CredentialID) string {
	if id.IsZero() {
		return ""
	}
	fault, rotated := "is unknown", false
	for i := range keys {
		k := &keys[i]
		rotated = rotated || k.Replaces == id
		switch {
		case k.ID != id:
			continue
		case keyStatus(k) != "valid":
			fault = map[string]string{"revoked": "is revoked", "expired": "has expired"}[keyStatus(k)]
		case !k.ExpiresAt.IsZero():
			fault = "expires " + p.showTime(k.ExpiresAt)
		default:
			fault = ""
		}
	}
	if rotated && fault != "is revoked" {
		return "was rotated and " + fault
	}
	return fault
}

// agentKeys returns the keys of the assistants of the person at this command line.
func (in *instance) agentKeys(ctx context.Context) ([]loci.Credential, error) {
	return in.app.Identity.Keys(ctx, in.operator, loci.KindAgent)
}

// revokeKeys revokes the valid keys of assistants that match, and returns how many.
func (in *instance) revokeKeys(ctx context.Context, match func(all []loci.Credential,
	k *loci.Credential) bool) (n int, err error) {
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return 0, err
	}
	for i := range keys {
		if keyStatus(&keys[i]) != "valid" || !match(keys, &keys[i]) {
			continue
		}
		if err := in.app.Identity.RevokeKey(ctx, in.operator, keys[i].ID); err != nil &&
			loci.CodeOf(err) != loci.NotFound {
			return n, err
		}
		n++
	}
	return n, nil
}

// revokeKeysOf revokes the key of a connection and those that rotation put in its place.
func (in *instance) revokeKeysOf(ctx context.Context, n *connection) error {
	if n.KeyID.IsZero() {
		return nil
	}
	_, err := in.revokeKeys(ctx, func(all []loci.Credential, k *loci.Credential) bool { return comesFrom(all, k, n) })
	return err
}

// keyed is an entry with a key that connect created for the client.
type keyed struct {
	client *client
	*connection
	keyID loci.CredentialID // in the file: that of the connection, or a later one that a person put there
	stray *stray            // nil: Loci's own entry
	base  string            // the address of the server in Loci's own entry, or ""
	lost  *clientfile.File  // has no entry with such a key any more; nil: it has
}

// keyedEntries returns the entries that have such a key, and those that had one. It leaves out what it cannot read.
func (p *program) keyedEntries(keys []loci.Credential) (list []keyed) {
	for _, c := range clients {
		entries, _ := p.entries(c) // startingClients reports the error
		for i, x := range entries {
			n := x.n
			now, err := x.readFile(n.File)
			if err != nil {
				continue
			}
			strays, err := p.strays(x.client, n, keys, now)
			if err != nil {
				continue
			}
			switch own := p.ownEntry(x.client, n, keys, now); {
			case own != nil && !own.keyID.IsZero():
				list = append(list, keyed{client: x.client, connection: n, keyID: own.keyID, base: baseIn(own.value, n)})
			case own == nil && len(strays) == 0 && !n.KeyID.IsZero():
				list = append(list, keyed{client: x.client, connection: n, lost: now})
			}
			if i > 0 { // all entries have the same strays
				continue
			}
			for _, s := range strays {
				list = append(list, keyed{client: x.client, connection: n, keyID: s.keyID, stray: &s})
			}
		}
	}
	return list
}

// baseIn returns the address of the server in an entry. A program that the entry starts may get that of the connection.
func baseIn(entry map[string]any, n *connection) string {
	_, address := clientfile.Offered(entry)
	if address == "" && n.URL != "" && strings.Contains(fmt.Sprint(entry), n.URL) {
		address = n.URL
	}
	return clientfile.BaseOf(address)
}

// noteStrays tells the person who connects a client of the keys that Loci will not replace.
func (p *program) noteStrays(c *client, n *connection, keys []loci.Credential, now *clientfile.File) error {
	list, err := p.strays(c, n, keys, now)
	for _, s := range list {
		fault := p.keyFault(keys, s.keyID)
		if fault == "" && n != nil && slices.Contains(replacedKeys(keys, s.keyID), n.KeyID) {
			fault = "this command revokes"
		}
		p.note("The %s; %s.", s.text(c, now.Name, fault), s.fix)
	}
	return err
}

// deadAddress tells that a client's file names an address of this machine that no running server has, or "". If none
// runs, nobody knows where the next one will.
func (p *program) deadAddress(k keyed) string {
	server := p.server()
	if server.PID == 0 || !isLoopbackURL(k.base) || p.runsAt(k.base) {
		return ""
	}
	return k.client.name + "'s file names " + k.base + "; the server runs at " + server.URL
}

// noteRotated tells the person of a rotated key whose client still has the old one in its file.
func (p *program) noteRotated(ctx context.Context, in *instance, rotated *loci.Credential) error {
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return err
	}
	for _, k := range p.keyedEntries(keys) {
		switch {
		case !slices.Contains(replacedKeys(keys, rotated.ID), k.keyID):
		case k.stray != nil:
			p.note("%s still has the old key in the entry %s of %s, which Loci does not change; %s.", k.client.name,
				quoted(k.stray.name), k.File, k.stray.fix)
		default:
			p.note("%s still has the old key in %s. To write a new one there and revoke the others, run: %s", k.client.name,
				k.File, p.connectLine(k))
		}
	}
	return nil
}

// connectLine is the command that connects a client again, with another key but otherwise as it is. What an entry
// offers stays without flags.
func (p *program) connectLine(k keyed) string {
	line := "loci connect"
	if k.Name != "" {
		line += " --replace-memory"
	}
	line += " " + k.client.id
	if base := clientfile.BaseOf(k.URL); base != p.server().URL && p.mayAnswer(base) && !p.keepsAddress(base) {
		line += " --public-url " + quoted(base)
	}
	return line
}
