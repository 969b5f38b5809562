// Package clientfile reads, changes and restores the entries of MCP servers in the configuration files of AI clients:
// JSON with or without comments, and TOML. It leaves out where the files are, which entry is whose, and who confirms a
// change. A change never alters the meaning of anything but Loci's entry, and keeps comments, order and layout.
package clientfile

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

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

// Change puts an entry into a text of the file, or removes Loci's entry if entry is nil. It returns a Conflict error if
// it cannot do that without changing anything else.
func Change(f Format, of *File, text, entry []byte) ([]byte, error) {
	return safely(f, of, text, func(text []byte) ([]byte, error) {
		if entry == nil {
			return f.remove(text)
		}
		return f.put(text, entry)
	})
}

// safely changes Loci's entry. It fails if that changes the meaning of anything else.
func safely(f Format, of *File, text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	before, err := f.parse(text)
	if err != nil {
		return nil, malformed(of, err)
	}
	_, toml := f.(TOML)
	advice := ""
	if toml {
		advice = "; write it as a table [" + f.Table() + "." + tomlKey(f.EntryName()) + "], and other servers as tables, too"
	}
	switch found, err := f.Find(text); {
	case err == nil && len(found) == 0 && Entry(f, before) != nil:
		return nil, malformed(of, fmt.Errorf("it has the entry %s in a form that Loci cannot edit%s",
			proposed.Quoted(f.EntryName()), advice))
	case err == nil && len(found) > 0 && Entry(f, before) == nil && toml:
		return nil, malformed(of, errors.New("a text in it looks like the entry of Loci; change the line "+
			string(bytes.TrimSpace(bytes.SplitN(found, []byte("\n"), 2)[0]))))
	}
	out, err := change(text)
	if err != nil {
		return nil, malformed(of, err)
	}
	after, err := f.parse(out)
	if err != nil && toml {
		return nil, malformed(of, fmt.Errorf("it cannot take the entry %s%s", proposed.Quoted(f.EntryName()), advice))
	}
	if err != nil || !reflect.DeepEqual(withoutLoci(f, before), withoutLoci(f, after)) {
		return nil, malformed(of, errors.New("changing the entry of Loci would change other entries"))
	}
	return out, nil
}

// malformed refuses to change a client's file.
func malformed(of *File, err error) error {
	return loci.WrapError(loci.Conflict, err, "cannot change %s: %s; fix the file and run the command again, or edit it "+
		"by hand; to see the entry, run: loci connect %s --print", of.Name, err, cmp.Or(of.id, "CLIENT"))
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
	id      string // of the client; "": unknown
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
	file := &File{Name: name, Text: text, id: id}
	var err error
	if file.Parsed, err = f.parse(text); err != nil {
		return nil, malformed(file, err)
	}
	return file, nil
}

// With returns the file's text with Loci's entry for an endpoint. If update is set, what a person added to the present
// entry stays.
func (f *File) With(format Format, e *Endpoint, update bool) ([]byte, error) {
	return safely(format, f, f.Text, func(text []byte) ([]byte, error) {
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

// Remove removes the file, unless somebody else changed it since it was read. A symbolic link to it stays.
func (f *File) Remove() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return allowed("remove", f.Name, os.Remove(linked(f.Name)))
}

// Odd returns what the file has that programs which read plain JSON do not understand, or "".
func (f *File) Odd(format Format) string {
	if _, ok := format.(JSON); !ok {
		return ""
	}
	var odd []string
	if len(f.mark) > 0 {
		odd = append(odd, "a byte order mark")
	}
	if len(bytes.TrimSpace(f.Text)) > 0 && !json.Valid(f.Text) {
		odd = append(odd, "comments or trailing commas")
	}
	return strings.Join(odd, " and ")
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
	return text, true, allowed("read", name, err)
}

// allowed adds the way out to an error that this user may not do something.
func allowed(do, name string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return loci.WrapError(loci.Conflict, fs.ErrPermission,
		"cannot %s %s: this user may not; let this user read and write the file and its directory, and run the command "+
			"again", do, name)
}

// privateMode lets only the owner read a file.
const privateMode fs.FileMode = 0o600

// WritePrivate replaces a file in one step, so that only its owner can read it.
func WritePrivate(name string, text []byte) error { return writeFile(name, text, privateMode) }

// mostLinks ends a ring of symbolic links.
const mostLinks = 40

// linked returns the file to which a symbolic link leads, which may be missing, or the name itself.
func linked(name string) string {
	for range mostLinks {
		target, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(name), target)
		}
		name = target
	}
	return name
}

// writeFile replaces a file in one step. A symbolic link stays one, also to a missing file. A file with several hard
// links is written in place, so that all of them stay the same file.
func writeFile(name string, text []byte, mode fs.FileMode) error {
	name = linked(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return allowed("create the directory of", name, err)
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	part, how := name+".loci-"+hex.EncodeToString(random[:]), os.O_CREATE|os.O_EXCL
	inPlace := hasOtherLinks(name)
	if inPlace {
		part, how = name, os.O_TRUNC
		if err := os.Chmod(name, privateMode); err != nil {
			return allowed("write", name, err)
		}
	}
	f, err := os.OpenFile(part, os.O_WRONLY|how, privateMode)
	if err != nil {
		return allowed("write", name, err)
	}
	_, err = f.Write(text)
	if err == nil && mode != privateMode {
		err = f.Chmod(mode)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if inPlace {
		return err
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part))
	}
	return allowed("write", name, err)
}

// hasOtherLinks reports whether a file has several names, on systems that count them.
func hasOtherLinks(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	n := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Nlink")
	return n.IsValid() && n.CanUint() && n.Uint() > 1
}
