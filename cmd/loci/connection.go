package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
