package maintain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/loci-memory/loci"
)

// journalFile is in a data directory while its files are replaced. The store
// refuses to open a directory that has one.
const journalFile = "restore.json"

const (
	journalKind   = "restore"
	journalFormat = 1
)

// swap is the journal of a replacement: Old go from the data directory to Kept,
// then New from Fresh to the data directory. Any prefix of these renames can be
// finished and undone, because the new files are complete before the first.
type swap struct {
	Loci   string   `json:"loci"` // always "restore"
	Format int      `json:"format"`
	Backup string   `json:"backup"`
	Fresh  string   `json:"fresh"` // both are names in replaced/
	Kept   string   `json:"kept"`
	Old    []string `json:"old"`
	New    []string `json:"new"`
}

// renamer is os.Rename, or in tests one that stops.
type renamer func(from, to string) error

// Interrupted reports whether a restore into dir was begun and neither finished
// nor undone. One may also be under way in another process.
func Interrupted(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, journalFile))
	return err == nil
}

// FinishRestore completes a restore that was interrupted, and returns where
// what it replaced is kept; "" if there was none. The caller has locked the
// directory: no process works on it.
func FinishRestore(dir string) (kept string, err error) { return finishRestore(dir, os.Rename) }

func finishRestore(dir string, rename renamer) (kept string, err error) {
	s, err := readSwap(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		err = s.finish(dir, rename)
	}
	if err != nil {
		return "", loci.WrapError(loci.Unavailable, err,
			"the interrupted restore in %s cannot be finished: %s; its files are in %s",
			dir, err, filepath.Join(dir, replacedDir))
	}
	return s.kept(dir), s.forget(dir)
}

func (s *swap) fresh(dir string) string { return filepath.Join(dir, replacedDir, s.Fresh) }
func (s *swap) kept(dir string) string  { return filepath.Join(dir, replacedDir, s.Kept) }

// finish goes on where the renames stopped.
func (s *swap) finish(dir string, rename renamer) error {
	fresh, kept := s.fresh(dir), s.kept(dir)
	if len(missing(fresh, s.New)) == 0 { // else every old file has gone already
		if err := move(dir, kept, s.Old, rename); err != nil {
			return err
		}
	}
	if err := move(fresh, dir, s.New, rename); err != nil {
		return err
	}
	if lost := missing(dir, s.New); len(lost) > 0 {
		return fmt.Errorf("%s is neither in %s nor in %s", lost[0], fresh, dir)
	}
	return nil
}

// undo takes the renames back.
func (s *swap) undo(dir string, rename renamer) error {
	fresh := s.fresh(dir)
	err := move(dir, fresh, missing(fresh, s.New), rename)
	if err == nil {
		err = move(s.kept(dir), dir, s.Old, rename)
	}
	return err
}

// forget ends the replacement. The journal goes before the new files do: with
// it, some of them that are missing would count as moved.
func (s *swap) forget(dir string) error {
	if err := os.Remove(filepath.Join(dir, journalFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	return os.RemoveAll(s.fresh(dir))
}

// write makes the journal durable, and what it names before it.
func (s *swap) write(dir string) error {
	for _, d := range []string{s.fresh(dir), s.kept(dir), filepath.Join(dir, replacedDir)} {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	part := filepath.Join(dir, replacedDir, partPrefix+journalFile)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, filepath.Join(dir, journalFile)); err != nil {
		return err
	}
	return syncDir(dir)
}

func readSwap(dir string) (*swap, error) {
	text, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	var s swap
	if err := json.Unmarshal(text, &s); err != nil || s.Loci != journalKind {
		return nil, fmt.Errorf("%s is damaged", journalFile)
	}
	if s.Format > journalFormat {
		return nil, fmt.Errorf("%s was made by a newer version; upgrade loci", journalFile)
	}
	for _, name := range append([]string{s.Fresh, s.Kept}, append(s.Old, s.New...)...) {
		if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
			return nil, fmt.Errorf("%s names files outside of the directory", journalFile)
		}
	}
	return &s, nil
}

// move renames those of names that are in from, and makes that durable. It
// never replaces anything.
func move(from, to string, names []string, rename renamer) error {
	for _, name := range names {
		source, target := filepath.Join(from, name), filepath.Join(to, name)
		if !exists(source) {
			continue
		}
		if exists(target) {
			return fmt.Errorf("%s is there already: %w", target, fs.ErrExist)
		}
		if err := rename(source, target); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	return errors.Join(syncDir(to), syncDir(from))
}

func missing(dir string, names []string) (out []string) {
	for _, name := range names {
		if !exists(filepath.Join(dir, name)) {
			out = append(out, name)
		}
	}
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// syncDir makes the names in a directory durable. Windows has no such call; its
// file system logs names itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
