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

// journalFile is in a data directory while its files are being replaced. The store refuses to open
// a directory that has one.
const journalFile = "restore.json"

const (
	journalKind   = "restore"
	journalFormat = 1
)

// swap is the journal of a replacement: first Old moves from the data directory to Kept, then New
// from Fresh to the data directory. Because the new files are complete before the first rename, any
// prefix of the renames can be completed or undone.
type swap struct {
	Loci   string   `json:"loci"` // always "restore"
	Format int      `json:"format"`
	Backup string   `json:"backup"`
	Fresh  string   `json:"fresh"` // both are names in replaced/
	Kept   string   `json:"kept"`
	Old    []string `json:"old"`
	New    []string `json:"new"`
}

// renamer is os.Rename, or a function that fails in tests.
type renamer func(from, to string) error

// Interrupted reports whether a restore to dir was started and neither finished nor undone. It may
// also be running in another process.
func Interrupted(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, journalFile))
	return err == nil
}

// FinishRestore completes an interrupted restore. It returns the directory with the replaced files, or "" if no
// restore was interrupted. The caller must have locked the directory, so that no process uses it.
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

// finish continues where the renames stopped.
func (s *swap) finish(dir string, rename renamer) error {
	fresh, kept := s.fresh(dir), s.kept(dir)
	if len(missing(fresh, s.New)) == 0 { // otherwise, all old files have already moved
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

// undo reverses the renames.
func (s *swap) undo(dir string, rename renamer) error {
	fresh := s.fresh(dir)
	err := move(dir, fresh, missing(fresh, s.New), rename)
	if err == nil {
		err = move(s.kept(dir), dir, s.Old, rename)
	}
	return err
}

// forget ends the replacement. It removes the journal before the new files, because while it
// exists, missing new files would count as moved.
func (s *swap) forget(dir string) error {
	if err := os.Remove(filepath.Join(dir, journalFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	return os.RemoveAll(s.fresh(dir))
}

// write makes the journal durable, after everything that it names.
func (s *swap) write(dir string) error {
	for _, d := range []string{s.fresh(dir), s.kept(dir), filepath.Join(dir, replacedDir)} {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	part := filepath.Join(dir, replacedDir, partPrefix+journalFile)
	if err := writeJSON(part, os.O_TRUNC, s); err != nil {
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
			return nil, fmt.Errorf("%s has names of files outside the directory", journalFile)
		}
	}
	return &s, nil
}

// move renames those of names that are in from and makes that durable. It never replaces a file.
func move(from, to string, names []string, rename renamer) error {
	for _, name := range names {
		source, target := filepath.Join(from, name), filepath.Join(to, name)
		if !exists(source) {
			continue
		}
		if exists(target) {
			return fmt.Errorf("%s already exists: %w", target, fs.ErrExist)
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

// syncDir makes the names in a directory durable. Windows has no such call, because its file system
// logs names itself.
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
