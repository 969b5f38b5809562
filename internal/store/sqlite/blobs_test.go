package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/blob"
	"github.com/loci-memory/loci/internal/store"
)

// attach stores content as an attachment of a memory that is there.
func attach(s *Store, org loci.OrgID, m *loci.Memory, content string) (a loci.Asset, err error) {
	sum, size, err := s.Blobs().Put(bg, org, strings.NewReader(content), 1<<20)
	if err != nil {
		return a, err
	}
	a = loci.Asset{ID: loci.NewAssetID(), MemoryID: m.ID, UserID: m.UserID, Origin: "api", Name: "a",
		MediaType: "text/plain", Size: size, SHA256: hex.EncodeToString(sum[:])}
	return a, s.Update(bg, org, func(tx store.Tx) error { return tx.Assets().Insert(bg, a) })
}

func mustAttach(t *testing.T, s *Store, m *loci.Memory, content string) loci.Asset {
	t.Helper()
	a, err := attach(s, loci.DefaultOrg, m, content)
	if err != nil {
		t.Fatal(explain(err))
	}
	return a
}

func read(s *Store, content string) (string, error) {
	f, err := s.Blobs().Open(bg, loci.DefaultOrg, sha256.Sum256([]byte(content)))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

// blobFile is where the bytes of the default org lie under dir.
func blobFile(dir, content string) string {
	sum := sha256.Sum256([]byte(content))
	return filepath.Join(dir, filepath.FromSlash(nameOf(loci.DefaultOrg, sum[:])))
}

func blobDir(s *Store) string { return filepath.Join(s.Dir(), assetsDir, string(loci.DefaultOrg)) }

// filesBelow returns the names of all files, with slashes.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

func withMemory(t *testing.T) (*Store, *loci.Memory) {
	t.Helper()
	s, user := newStore(t, Options{})
	m := newMemory(user, "a")
	insert(t, s, loci.DefaultOrg, m)
	return s, m
}

func TestBlobFiles(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	mustAttach(t, s, m, "abc")
	mustAttach(t, s, m, "abc")
	sum := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, want := filesBelow(t, filepath.Join(s.Dir(), assetsDir)),
		[]string{"default/ba/" + sum}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// An upload of what is there does all that another one does: nobody learns from its time that somebody has these bytes.
func TestBlobsThatAreThereAreReplaced(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	mustAttach(t, s, m, "abc")
	path := blobFile(s.Dir(), "abc")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	mustAttach(t, s, m, "abc")
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) {
		t.Error("the second upload left the file of the first one")
	}
	if text, err := read(s, "abc"); text != "abc" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

// An upload that was killed leaves what the next sweep takes, and one that is under way
// is no reason for others to see anything.
func TestBlobLeftovers(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	mustAttach(t, s, m, "kept")
	part := filepath.Join(blobDir(s), ".part-123")
	stranger := filepath.Join(blobDir(s), "README")
	for _, name := range []string{part, stranger} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
	for _, tt := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 1}, {time.Now().Add(time.Hour), 0}} {
		if n, err := s.Blobs().Sweep(bg, loci.DefaultOrg, tt.before); n != tt.want || err != nil {
			t.Errorf("Sweep: %d, %v; want %d", n, explain(err), tt.want)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("a file of somebody else's: %v", err)
	}
	if got, err := read(s, "kept"); got != "kept" || err != nil {
		t.Errorf("kept: %q, %v", got, err)
	}
}

// What was uploaded again while a sweep was at work stays.
func TestSweepLooksAgain(t *testing.T) {
	t.Parallel()
	s, _ := withMemory(t)
	put := func() {
		t.Helper()
		if _, _, err := s.Blobs().Put(bg, loci.DefaultOrg, strings.NewReader("renewed"), 100); err != nil {
			t.Fatal(explain(err))
		}
	}
	put()
	sum := sha256.Sum256([]byte("renewed"))
	listed := []blob.Item{{Name: blobFile(s.Dir(), "renewed"), Sum: sum[:], Size: 7}}
	before := time.Now()
	old := before.Add(-time.Hour)
	if err := os.Chtimes(listed[0].Name, old, old); err != nil {
		t.Fatal(err)
	}
	put()
	b := blobs{s}
	if n, err := b.sweep(bg, loci.DefaultOrg, listed, before); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, explain(err))
	}
	if n, err := b.sweep(bg, loci.DefaultOrg, listed, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("later: swept %d, %v", n, explain(err))
	}
}

// A file of another length than it has to have is written anew; nothing else tells that it is damaged.
func TestBlobHeals(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	a := mustAttach(t, s, m, "some bytes")
	file := blobFile(s.Dir(), "some bytes")
	for _, content := range []string{"some lies.", "", "some"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		problems, err := s.Check(bg)
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "has changed") ||
			!strings.Contains(problems[0], a.ID.String()) ||
			!strings.Contains(problems[0], m.ID.String()) || !strings.Contains(problems[0], "assets/default/") {
			t.Errorf("%q: Check: %q, %v", content, problems, err)
		}
		if _, err := s.Backup(bg, t.TempDir()); loci.CodeOf(err) != loci.Unavailable ||
			!strings.Contains(err.Error(), "loci doctor") {
			t.Errorf("%q: Backup: %v", content, err)
		}
	}
	mustAttach(t, s, m, "some bytes")
	if got, err := read(s, "some bytes"); got != "some bytes" || err != nil {
		t.Errorf("after another upload: %q, %v", got, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(bg)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "is missing") {
		t.Errorf("Check: %q, %v", problems, err)
	}
	if _, err := s.Backup(bg, t.TempDir()); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("Backup: %v", err)
	}
}

func TestCheckBoundsItsReport(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	for i := range maxReported + 5 {
		mustAttach(t, s, m, fmt.Sprint(i))
	}
	if err := os.RemoveAll(filepath.Join(s.Dir(), assetsDir)); err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(bg)
	if err != nil || len(problems) != maxReported+1 || !strings.HasPrefix(problems[maxReported], "5 more") {
		t.Errorf("Check: %q, %v", problems, err)
	}
	if err := os.Mkdir(filepath.Join(s.Dir(), assetsDir, "unknown"), 0o700); err != nil {
		t.Fatal(err)
	}
	problems, err = s.Check(bg)
	if err != nil || !slices.ContainsFunc(problems,
		func(p string) bool { return strings.Contains(p, "assets/unknown exists") }) {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// A backup and an export hold what the rows in them name, and nothing else; a sweep
// waits for them.
func TestBlobsTravel(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	mustAttach(t, s, m, "one")
	mustAttach(t, s, m, "two")
	if _, _, err := s.Blobs().Put(bg, loci.DefaultOrg, strings.NewReader("unnamed"), 100); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, content := range []string{"one", "two"} {
		name, err := filepath.Rel(s.Dir(), blobFile(s.Dir(), content))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, filepath.ToSlash(name))
	}
	slices.Sort(want)
	backup, export := t.TempDir(), filepath.Join(t.TempDir(), "org")
	names, err := s.Backup(bg, backup)
	if err = errors.Join(err, s.Orgs().Export(bg, loci.DefaultOrg, export, noEvents)); err != nil {
		t.Fatal(explain(err))
	}
	for dir, names := range map[string][]string{backup: names, export: manifestFiles(t, export)} {
		named := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, assetsDir) })
		if there := filesBelow(t, dir); !slices.Equal(named, want) ||
			!slices.Equal(slices.DeleteFunc(there, func(n string) bool { return !strings.HasPrefix(n, assetsDir) }), want) {
			t.Errorf("named %q, there %q, want %q", named, there, want)
		}
	}
	restored := openStore(t, Options{Dir: backup})
	if got, err := read(restored, "two"); got != "two" || err != nil {
		t.Errorf("restored: %q, %v", got, explain(err))
	}
	if problems, err := restored.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
	release, err := s.holdBlobs(bg, loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	n, swept := s.Blobs().Sweep(bg, loci.DefaultOrg, time.Now().Add(time.Hour))
	if err := errors.Join(swept, release()); n != 0 || err != nil {
		t.Errorf("Sweep beside a backup: %d, %v", n, err)
	}
	if n, err := s.Blobs().Sweep(bg, loci.DefaultOrg, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("Sweep after it: %d, %v", n, err)
	}
}

func manifestFiles(t *testing.T, dir string) []string {
	t.Helper()
	var m manifest
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m.Files
}

// Deleting an org takes its attachments along, and nobody else's, however late an upload is.
func TestDeleteOrgRemovesBlobs(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	if _, _, err := s.Orgs().Ensure(bg, loci.Org{ID: "other", OwnerID: loci.NewUserID()}, loci.User{}); err != nil {
		t.Fatal(err)
	}
	mustAttach(t, s, m, "one")
	mustAttach(t, s, m, "two")
	for _, org := range []loci.OrgID{loci.DefaultOrg, "other"} {
		if _, _, err := s.Blobs().Put(bg, org, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	before := filesBelow(t, filepath.Join(s.Dir(), orgsDir))
	begun, meanwhile := make(chan struct{}), make(chan struct{})
	late := make(chan error)
	go func() {
		_, _, err := s.Blobs().Put(bg, loci.DefaultOrg, &slow{begun: begun, until: meanwhile}, 100)
		late <- err
	}()
	<-begun
	r, err := s.Orgs().Delete(bg, loci.DefaultOrg)
	files := slices.DeleteFunc(before, func(n string) bool { return !strings.HasPrefix(n, "default.") })
	if err != nil || r.Files != len(files)+4 || r.Attachments != 4 { // three, and what the upload has so far
		t.Errorf("got %+v, %v, want %d files", r, explain(err), len(files)+4)
	}
	close(meanwhile)
	if err := <-late; loci.CodeOf(err) != loci.NotFound && loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("the upload ended with %v", explain(err))
	}
	if left := filesBelow(t, filepath.Join(s.Dir(), assetsDir)); len(left) != 1 || !strings.HasPrefix(left[0], "other/") {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(blobDir(s)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its directory: %v", err)
	}
}

// slow gives one byte, says so, and ends when it may.
type slow struct {
	begun, until chan struct{}
	given        bool
}

func (r *slow) Read(p []byte) (int, error) {
	if !r.given {
		r.given = true
		p[0] = 'x'
		return 1, nil
	}
	close(r.begun)
	<-r.until
	return 0, io.EOF
}

// Several stores on one directory are what several processes are: each has its own locks and connections.
func TestBlobsOfManyProcesses(t *testing.T) {
	t.Parallel()
	first, m := withMemory(t)
	all := []*Store{first, openStore(t, Options{Dir: first.Dir()}), openStore(t, Options{Dir: first.Dir()})}
	ctx, cancel := context.WithCancel(bg)
	var writers, sweepers sync.WaitGroup
	for _, s := range all {
		sweepers.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Blobs().Sweep(bg, loci.DefaultOrg, time.Now().Add(time.Hour)); err != nil {
					t.Errorf("Sweep: %v", explain(err))
					return
				}
			}
		})
		writers.Go(func() {
			for i := range 30 {
				if err := attachForAWhile(s, m, fmt.Sprint("content ", i%3)); err != nil {
					t.Error(explain(err))
					return
				}
			}
		})
	}
	writers.Wait()
	cancel()
	sweepers.Wait()
	if problems, err := first.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

func attachForAWhile(s *Store, m *loci.Memory, content string) error {
	for {
		a, err := attach(s, loci.DefaultOrg, m, content)
		if code := loci.CodeOf(err); code == loci.Unavailable || code == loci.Conflict {
			continue // swept away
		}
		if err != nil {
			return err
		}
		if got, err := read(s, content); got != content || err != nil {
			return fmt.Errorf("got %q of an attachment: %w", got, err)
		}
		return s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error { return tx.Assets().Remove(bg, a.ID) })
	}
}
