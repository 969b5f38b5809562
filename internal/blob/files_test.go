package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

const org = loci.OrgID("acme")

func receiveText(t *testing.T, s Store, text string) Upload {
	t.Helper()
	u, err := s.Receive(t.Context(), org, strings.NewReader(text), 100)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func items(t *testing.T, s Store) (list []Item) {
	t.Helper()
	if err := s.Each(org, func(i Item) error { list = append(list, i); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestUploadsAreSeenOncePlaced(t *testing.T) {
	t.Parallel()
	s := NewFiles(filepath.Join(t.TempDir(), "assets"))
	u := receiveText(t, s, "abc")
	if u.Sum != sha256.Sum256([]byte("abc")) || u.Size != 3 {
		t.Errorf("received %+v", u)
	}
	if _, err := s.Open(t.Context(), org, u.Sum); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is placed: %v", err)
	}
	if list := items(t, s); len(list) != 1 || list[0].Sum != nil {
		t.Errorf("before it is placed there are %+v", list)
	}
	now := time.Unix(1000, 0)
	for range 2 { // a transaction may run twice
		if err := s.Place(u, now); err != nil {
			t.Fatal(err)
		}
	}
	s.Discard(u, false)
	if list := items(t, s); len(list) != 1 || !bytes.Equal(list[0].Sum, u.Sum[:]) || !list[0].At.Equal(now) {
		t.Errorf("afterwards there are %+v", list)
	}
	var got bytes.Buffer
	if err := s.Copy(t.Context(), &got, org, u.Sum[:]); err != nil || got.String() != "abc" {
		t.Errorf("copied %q, %v", &got, err)
	}
}

func TestSweptUploadsCannotBePlaced(t *testing.T) {
	t.Parallel()
	s := NewFiles(filepath.Join(t.TempDir(), "assets"))
	u := receiveText(t, s, "abc")
	release, ok, err := s.Sweep(org)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, again, err := s.Sweep(org); again || err != nil {
		t.Errorf("a second sweep at once: %v, %v", again, err)
	}
	for _, i := range items(t, s) {
		if gone, err := s.Remove(org, i, i.At); gone || err != nil {
			t.Errorf("what is not older: %v, %v", gone, err)
		}
		if gone, err := s.Remove(org, i, i.At.Add(time.Second)); !gone || err != nil {
			t.Errorf("removed: %v, %v", gone, err)
		}
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := s.Place(u, time.Now()); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("placed after the sweep: %v", err)
	}
	hold, err := s.Hold(t.Context(), org)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.Sweep(org); ok || err != nil {
		t.Errorf("a sweep while somebody holds: %v, %v", ok, err)
	}
	if err := hold(); err != nil {
		t.Error(err)
	}
}

func TestDamageIsSeen(t *testing.T) {
	t.Parallel()
	s := NewFiles(filepath.Join(t.TempDir(), "assets"))
	u := receiveText(t, s, "abc")
	if err := s.Place(u, time.Now()); err != nil {
		t.Fatal(err)
	}
	file, err := s.Open(t.Context(), org, u.Sum)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	path := filepath.Join(s.dir, filepath.FromSlash(Name(org, u.Sum[:])))
	if err := os.WriteFile(path, []byte("abcd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), org, u.Sum); !errors.Is(err, ErrDamaged) {
		t.Errorf("opened: %v", err)
	}
	if err := s.Copy(t.Context(), &bytes.Buffer{}, org, u.Sum[:]); !errors.Is(err, ErrDamaged) {
		t.Errorf("copied: %v", err)
	}
	if err := errors.Join(s.Drop(org), s.Drop("")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("dropped: %v", err)
	}
	if list, err := s.Orgs(); err != nil || len(list) != 0 {
		t.Errorf("left %v, %v", list, err)
	}
}

func TestUploadsHaveALimit(t *testing.T) {
	t.Parallel()
	s := NewFiles(filepath.Join(t.TempDir(), "assets"))
	u, err := s.Receive(t.Context(), org, strings.NewReader("abcd"), 3)
	if loci.CodeOf(err) != loci.TooLarge {
		t.Errorf("got %v", err)
	}
	s.Discard(u, true)
	if _, err := os.Stat(filepath.Join(s.dir, string(org))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its directory: %v", err)
	}
}
