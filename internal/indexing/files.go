package indexing

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
)

// files are the files of one org: segments, which never change, and a manifest, which says which of
// them count. A manifest replaces the one before in one step, after its segments are on disk. So a
// crash leaves the old manifest or the new one, and perhaps segments that nobody uses.
type files struct {
	dir    string
	format int
}

const (
	manifestName  = "manifest"
	lockName      = "lock"
	segmentSuffix = ".segment"
)

// manifest says what the files contain.
type manifest struct {
	Format   int            `json:"format"`
	Version  uint64         `json:"version"` // one more with each manifest
	Position store.Position `json:"position"`
	Rest     string         `json:"left,omitempty"` // of orgIndex.building
	Built    bool           `json:"built"`
	Segments []listed       `json:"segments"`
}

type listed struct {
	Name   string  `json:"name"`
	Gone   []rowID `json:"gone,omitempty"`
	Erased bool    `json:"erased,omitempty"`
}

// These must increase when the same rows give other segments: another analysis, row or encoding. Then what is there is
// built again.
const (
	formatOfMemories = 3
	formatOfEvents   = 4
)

// lock returns the right to write. ok is false while another process has it.
func (f *files) lock() (release func(), ok bool, err error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, false, err
	}
	l := flock.New(filepath.Join(f.dir, lockName), flock.SetPermissions(0o600))
	if ok, err = l.TryLock(); err != nil || !ok {
		return nil, false, errors.Join(err, l.Close())
	}
	return func() { _ = l.Close() }, true, nil // closing the file releases the lock in any case
}

// manifest returns the manifest. It is fs.ErrNotExist if there is none of this format.
func (f *files) manifest() (m manifest, err error) {
	data, err := os.ReadFile(filepath.Join(f.dir, manifestName))
	if err != nil {
		return m, err
	}
	sum, body, found := strings.Cut(string(data), "\n")
	if !found || sum != checksum(body) {
		return m, errors.New("the manifest is damaged")
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return m, err
	}
	if m.Format != f.format {
		return manifest{}, fmt.Errorf("the index has another format: %w", fs.ErrNotExist)
	}
	return m, nil
}

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
}

// commit replaces the manifest. The caller has the lock.
func (f *files) commit(m manifest) error {
	m.Format = f.format
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return f.write(manifestName, []byte(checksum(string(body))+"\n"+string(body)))
}

// write makes or replaces a file in one step that survives a loss of power.
func (f *files) write(name string, data []byte) (err error) {
	temp, err := os.CreateTemp(f.dir, name+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err = os.Rename(temp.Name(), filepath.Join(f.dir, name)); err != nil {
		return err
	}
	return syncDir(f.dir)
}

// part opens a segment that merge wrote and checks its bytes.
func (f *files) part(l listed) (*part, error) {
	m, err := mapFile(filepath.Join(f.dir, l.Name))
	if err != nil {
		return nil, err
	}
	s, err := index.Open(m.data)
	if err == nil {
		err = s.Verify()
	}
	if err != nil {
		return nil, err
	}
	return &part{view: index.NewView(s, converted[[16]byte](l.Gone)...), size: s.Size(), name: l.Name, mapped: m,
		gone: l.Gone, saved: len(l.Gone), erased: l.Erased}, nil
}

// sweep removes the files that a manifest does not name. The caller has the lock.
func (f *files) sweep(m manifest) {
	used := map[string]bool{manifestName: true, lockName: true}
	for _, s := range m.Segments {
		used[s.Name] = true
	}
	entries, _ := os.ReadDir(f.dir) // what cannot be listed stays
	for _, e := range entries {
		if !used[e.Name()] {
			_ = os.Remove(filepath.Join(f.dir, e.Name())) // the next sweep tries again
		}
	}
}
