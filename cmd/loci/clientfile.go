package main

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
	"regexp"
	"slices"

	"github.com/loci-memory/loci"
)

// configFormat edits one kind of configuration file as text, so that other entries, their order and comments stay
// unchanged.
type configFormat interface {
	// parse reads the whole file, which may be empty.
	parse(text []byte) (map[string]any, error)
	// table is the key of the servers.
	table() string
	// entryName is the name of Loci's entry.
	entryName() string
	// named is the same format, in which Loci's entry has another name.
	named(name string) configFormat
	// find returns the text of Loci's entry, or nil.
	find(text []byte) ([]byte, error)
	// put adds or replaces Loci's entry.
	put(text, entry []byte) ([]byte, error)
	// update changes in Loci's entry what Loci writes, and keeps what a person added.
	update(text []byte, e *endpoint) ([]byte, error)
	// remove removes Loci's entry.
	remove(text []byte) ([]byte, error)
	// render returns the text of an entry.
	render(e *endpoint) []byte
}

// changeEntry puts an entry into the file, or removes it if entry is nil.
func changeEntry(f configFormat, name string, text, entry []byte) ([]byte, error) {
	return safely(f, name, text, func(text []byte) ([]byte, error) {
		if entry == nil {
			return f.remove(text)
		}
		return f.put(text, entry)
	})
}

// safely changes Loci's entry. It fails if that changes the meaning of anything else.
func safely(f configFormat, name string, text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	before, err := f.parse(text)
	if err != nil {
		return nil, malformed(name, "", err)
	}
	if found, err := f.find(text); err == nil && len(found) == 0 && namedEntry(f, before) != nil {
		return nil, malformed(name, "", fmt.Errorf("it has the entry %s in a form that Loci cannot edit",
			quoted(f.entryName())))
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

// badSyntax is an error of syntax in a file. The texts of the parsers are for programmers.
func badSyntax(language string, line, column int) error {
	return fmt.Errorf("it is not valid %s at line %d, column %d", language, line, column)
}

// configFile is a client's file as it is now.
type configFile struct {
	name    string
	existed bool
	mark    []byte // the byte order mark before text, which stays
	text    []byte
	parsed  map[string]any
}

// byteOrderMark is what some programs of Windows put before UTF-8.
var byteOrderMark = []byte("\ufeff")

// readFile reads a client's file, which may be missing.
func (c *client) readFile(name string) (*configFile, error) {
	text, existed, err := readConfig(name)
	if err != nil {
		return nil, err
	}
	f := &configFile{name: name, existed: existed, text: bytes.TrimPrefix(text, byteOrderMark)}
	f.mark = text[:len(text)-len(f.text)]
	if f.parsed, err = c.format.parse(f.text); err != nil {
		return nil, malformed(name, c.id, err)
	}
	return f, nil
}

// replace writes the file, unless somebody else changed it since it was read: a person has time to answer.
// Only its owner can read it then, because it contains a key.
func (f *configFile) replace(text []byte) error { return f.replaceWith(text, privateMode) }

func (f *configFile) replaceWith(text []byte, mode fs.FileMode) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return writeFile(f.name, slices.Concat(f.mark, text), mode)
}

func (f *configFile) remove() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return os.Remove(f.name)
}

func (f *configFile) unchanged() error {
	text, existed, err := readConfig(f.name)
	if err == nil && (existed != f.existed || !bytes.Equal(text, slices.Concat(f.mark, f.text))) {
		err = loci.Errorf(loci.Conflict, "cannot change %s: another program changed it meanwhile; run the command again",
			f.name)
	}
	return err
}

// namedEntry returns the entry that has the name of Loci's, or nil.
func namedEntry(f configFormat, parsed map[string]any) map[string]any {
	servers, _ := parsed[f.table()].(map[string]any)
	entry, _ := servers[f.entryName()].(map[string]any)
	return entry
}

// holdsNothing reports whether nothing is left but what removing Loci's entry leaves of a file that connect created.
// White space does not count. A comment does: somebody wrote it.
func holdsNothing(f configFormat, text []byte) (bool, error) {
	created, err := f.put(nil, f.render(&endpoint{}))
	if err != nil {
		return false, err
	}
	left, err := f.remove(created)
	return bytes.Equal(withoutSpace(text), withoutSpace(left)), err
}

func withoutSpace(text []byte) []byte { return bytes.Join(bytes.Fields(text), nil) }

// withoutLoci drops Loci's entry, and the table if it becomes empty.
func withoutLoci(f configFormat, parsed map[string]any) map[string]any {
	servers, ok := parsed[f.table()].(map[string]any)
	if !ok {
		return parsed
	}
	delete(servers, f.entryName())
	if len(servers) == 0 {
		delete(parsed, f.table())
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

// writeConfig is writeFile for a file that may contain secrets.
func writeConfig(name string, text []byte) error { return writeFile(name, text, privateMode) }

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

// ourKeys finds keys of Loci, to hide them in output.
var ourKeys = regexp.MustCompile(`loci_(live|agent)_[A-Za-z0-9_-]{4,}`)

// difference shows only the lines that change: other lines may contain secrets.
func difference(before, after []byte) string {
	return ourKeys.ReplaceAllString(loci.Printable(loci.ChangedLines(before, after)), "loci_${1}_…")
}
