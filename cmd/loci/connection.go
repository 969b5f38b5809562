package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loci-memory/loci"
)

// connection records what connect did, so that disconnect can undo it. It is in the data directory, beside a copy of
// the client's original file.
type connection struct {
	Client   string            `json:"client"`
	Name     string            `json:"name,omitempty"`    // of the entry, if it is not loci
	Project  string            `json:"project,omitempty"` // into which connect imported the graph of the replaced server
	File     string            `json:"file"`
	Existed  bool              `json:"existed"` // the file was there before
	URL      string            `json:"url,omitempty"`
	Command  string            `json:"command,omitempty"`
	Args     []string          `json:"args,omitempty"`
	KeyID    loci.CredentialID `json:"key_id,omitzero"`
	Entry    string            `json:"entry"`              // SHA-256 of what connect wrote: there is a key in it
	Previous string            `json:"previous,omitempty"` // the entry that it replaced
	Written  string            `json:"written"`            // SHA-256 of the whole file then
	original []byte            // the file before
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

func (p *program) keepConnection(c *client, n *connection, original []byte) error {
	if n.Existed {
		if err := writeConfig(p.connectionFile(c.record, backupSuffix), original); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return writeConfig(p.connectionFile(c.record, recordSuffix), append(text, '\n'))
}

// writeConnection keeps the record and a copy of the file, and writes the file. If that fails, the record is as before.
func (p *program) writeConnection(c *client, n, old *connection, before, after []byte) error {
	err := p.keepConnection(c, n, before)
	if err == nil {
		err = writeConfig(n.File, after)
	}
	switch {
	case err == nil:
		return nil
	case old == nil:
		return errors.Join(err, p.forgetConnection(c))
	}
	return errors.Join(err, p.keepConnection(c, old, old.original))
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

func (n *connection) reaches(e *endpoint) bool {
	return n.URL == e.URL && n.Command == e.Command && slices.Equal(n.Args, e.Args)
}

// undo returns the client's file without the connection: the original bytes if nobody changed the file since, otherwise
// with only Loci's entry restored or removed.
func (n *connection) undo(f configFormat, text []byte) ([]byte, error) {
	if digest(text) == n.Written {
		return n.original, nil
	}
	entry, err := f.find(text)
	if err != nil {
		return nil, malformed(n.File, err)
	}
	if digest(entry) != n.Entry { // somebody changed it
		return text, nil
	}
	if n.Previous != "" {
		return changeEntry(f, n.File, text, []byte(n.Previous))
	}
	return changeEntry(f, n.File, text, nil)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
