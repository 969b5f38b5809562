// Package clientfile reads, changes and restores the entries of MCP servers in the configuration files of AI clients:
// JSON with or without comments, and TOML. It leaves out where the files are, which entry is whose, and who confirms a
// change. A change never alters the meaning of anything but Loci's entry, and keeps comments, order and layout.
package clientfile

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/proposed"
)

// Format edits one kind of configuration file as text, so that other entries, their order and comments stay
// unchanged.
type Format interface {
	// Table is the key of the servers.
	Table() string
	// EntryName is the name of Loci's entry.
	EntryName() string
	// Named is the same format, in which Loci's entry has another name.
	Named(name string) Format
	// Find returns the text of Loci's entry, or nil.
	Find(text []byte) ([]byte, error)
	// Render returns the text of an entry.
	Render(e *Endpoint) []byte

	// parse reads the whole file, which may be empty.
	parse(text []byte) (map[string]any, error)
	// put adds or replaces Loci's entry.
	put(text, entry []byte) ([]byte, error)
	// update changes in Loci's entry what Loci writes, and keeps what a person added.
	update(text []byte, e *Endpoint) ([]byte, error)
	// remove removes Loci's entry.
	remove(text []byte) ([]byte, error)
}

// Change puts an entry into the text of the file name, or removes Loci's entry if entry is nil. It returns a Conflict
// error if it cannot do that without changing anything else.
func Change(f Format, name string, text, entry []byte) ([]byte, error) {
	return safely(f, name, text, func(text []byte) ([]byte, error) {
		if entry == nil {
			return f.remove(text)
		}
		return f.put(text, entry)
	})
}

// safely changes Loci's entry. It fails if that changes the meaning of anything else.
func safely(f Format, name string, text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	before, err := f.parse(text)
	if err != nil {
		return nil, malformed(name, "", err)
	}
	if found, err := f.Find(text); err == nil && len(found) == 0 && Entry(f, before) != nil {
		return nil, malformed(name, "", fmt.Errorf("it has the entry %s in a form that Loci cannot edit",
			proposed.Quoted(f.EntryName())))
	}
	out, err := change(text)
	if err != nil {
		return nil, malformed(name, "", err)
	}
	after, err := f.parse(out)
	if err != nil || !reflect.DeepEqual(withoutLoci(f, before), withoutLoci(f, after)) {
		return nil, malformed(name, "", errors.New("changing the entry of Loci would change other entries"))
	}
	return out, nil
}

// malformed refuses to change a client's file. id is the client's, or "" if the caller does not know it.
func malformed(name, id string, err error) error {
	return loci.WrapError(loci.Conflict, err, "cannot change %s: %s; fix the file and run the command again, or edit it "+
		"by hand; to see the entry, run: loci connect %s --print", name, err, cmp.Or(id, "CLIENT"))
}

// Fault returns what is wrong with a file that Read could not read.
func Fault(err error) string {
	if cause := errors.Unwrap(err); loci.CodeOf(err) == loci.Conflict && cause != nil {
		err = cause
	}
	return loci.OneLine(err.Error())
}

// badSyntax is an error of syntax in a file. The texts of the parsers are for programmers.
func badSyntax(language string, line, column int) error {
	return fmt.Errorf("it is not valid %s at line %d, column %d", language, line, column)
}

// File is a client's file as it was when somebody read it.
type File struct {
	Name    string
	Existed bool
	Text    []byte
	Parsed  map[string]any
	mark    []byte // the byte order mark before Text, which stays
}

// byteOrderMark is what some programs of Windows put before UTF-8.
var byteOrderMark = []byte("\ufeff")

// Read reads the file of the client with this id. If the file is missing, it is empty.
func Read(f Format, id, name string) (*File, error) {
	text, existed, err := readConfig(name)
	if err != nil {
		return nil, err
	}
	file, err := Parse(f, id, name, bytes.TrimPrefix(text, byteOrderMark))
	if err != nil {
		return nil, err
	}
	file.Existed, file.mark = existed, text[:len(text)-len(file.Text)]
	return file, nil
}

// Parse returns a file of the client with this id that has this text. It returns a Conflict error if the text is
// invalid.
func Parse(f Format, id, name string, text []byte) (*File, error) {
	parsed, err := f.parse(text)
	if err != nil {
		return nil, malformed(name, id, err)
	}
	return &File{Name: name, Text: text, Parsed: parsed}, nil
}

// With returns the file's text with Loci's entry for an endpoint. If update is set, what a person added to the present
// entry stays.
func (f *File) With(format Format, e *Endpoint, update bool) ([]byte, error) {
	return safely(format, f.Name, f.Text, func(text []byte) ([]byte, error) {
		if update {
			return format.update(text, e)
		}
		return format.put(text, format.Render(e))
	})
}

// Replace writes the file, unless somebody else changed it since it was read: a person has time to answer.
// Only its owner can read it then, because it contains a key.
func (f *File) Replace(text []byte) error { return f.ReplaceWith(text, privateMode) }

// ReplaceWith is Replace for a text without a key, which others may read.
func (f *File) ReplaceWith(text []byte, mode fs.FileMode) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return writeFile(f.Name, slices.Concat(f.mark, text), mode)
}

// Remove removes the file, unless somebody else changed it since it was read.
func (f *File) Remove() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return os.Remove(f.Name)
}

func (f *File) unchanged() error {
	text, existed, err := readConfig(f.Name)
	if err == nil && (existed != f.Existed || !bytes.Equal(text, slices.Concat(f.mark, f.Text))) {
		err = loci.Errorf(loci.Conflict, "cannot change %s: another program changed it meanwhile; run the command again",
			f.Name)
	}
	return err
}

// HoldsNothing reports whether nothing is left but what removing Loci's entry leaves of a file that connect created.
// White space does not count. A comment does: somebody wrote it.
func HoldsNothing(f Format, text []byte) (bool, error) {
	created, err := Alone(f, &Endpoint{})
	if err != nil {
		return false, err
	}
	left, err := f.remove(created)
	return bytes.Equal(withoutSpace(text), withoutSpace(left)), err
}

func withoutSpace(text []byte) []byte { return bytes.Join(bytes.Fields(text), nil) }

// withoutLoci drops Loci's entry, and the table if it becomes empty.
func withoutLoci(f Format, parsed map[string]any) map[string]any {
	servers, ok := parsed[f.Table()].(map[string]any)
	if !ok {
		return parsed
	}
	delete(servers, f.EntryName())
	if len(servers) == 0 {
		delete(parsed, f.Table())
	}
	return parsed
}

// readConfig returns a client's file, or existed false if there is none.
func readConfig(name string) (text []byte, existed bool, err error) {
	text, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return text, true, err
}

// privateMode lets only the owner read a file.
const privateMode fs.FileMode = 0o600

// WritePrivate replaces a file in one step, so that only its owner can read it.
func WritePrivate(name string, text []byte) error { return writeFile(name, text, privateMode) }

// writeFile replaces a file in one step. A symbolic link stays one.
func writeFile(name string, text []byte, mode fs.FileMode) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	part := name + ".loci-" + hex.EncodeToString(random[:])
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateMode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && mode != privateMode {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part))
	}
	return err
}
