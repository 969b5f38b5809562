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
	name := p.connectionFile(c.id, recordSuffix)
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
		n.original, err = os.ReadFile(p.connectionFile(c.id, backupSuffix))
	}
	return &n, err
}

func (p *program) keepConnection(n *connection, original []byte) error {
	if n.Existed {
		if err := writeConfig(p.connectionFile(n.Client, backupSuffix), original); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return writeConfig(p.connectionFile(n.Client, recordSuffix), append(text, '\n'))
}

func (p *program) forgetConnection(c *client) error {
	err := os.Remove(p.connectionFile(c.id, backupSuffix))
	if errors.Is(err, fs.ErrNotExist) { // the client had no file
		err = nil
	}
	return errors.Join(err, os.Remove(p.connectionFile(c.id, recordSuffix)))
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
