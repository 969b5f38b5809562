package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// put stores bytes that must be taken.
func (e *env) put(content string) [32]byte {
	e.Helper()
	sum, size, err := e.st.Blobs().Put(e.Context(), e.org, strings.NewReader(content), int64(len(content)))
	if err != nil || size != int64(len(content)) || sum != sha256.Sum256([]byte(content)) {
		e.Fatalf("Put %q: %x, %d, %v", content, sum, size, explain(err))
	}
	return sum
}

// bytesOf returns what is kept under a hash.
func (e *env) bytesOf(org loci.OrgID, sum [32]byte) (string, error) {
	f, err := e.st.Blobs().Open(e.Context(), org, sum)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

func (e *env) sweep(before time.Time, want int) {
	e.Helper()
	if n, err := e.st.Blobs().Sweep(e.Context(), e.org, before); n != want || err != nil {
		e.Errorf("Sweep: %d, %v; want %d", n, explain(err), want)
	}
}

// asset returns an attachment whose bytes are there.
func (e *env) asset(m *loci.Memory, content string) loci.Asset {
	e.Helper()
	sum := e.put(content)
	return loci.Asset{ID: loci.NewAssetID(), MemoryID: m.ID, UserID: e.user, Origin: "api", Name: "notes.txt",
		MediaType: "text/plain",
		Size:      int64(len(content)), SHA256: hex.EncodeToString(sum[:]), CreatedAt: e.clock.now()}
}

func (e *env) insertAsset(a loci.Asset) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Assets().Insert(ctx, a) })
}

func (e *env) attach(m *loci.Memory, content string) loci.Asset {
	e.Helper()
	a := e.asset(m, content)
	if err := e.insertAsset(a); err != nil {
		e.Fatal(explain(err))
	}
	return a
}

func (e *env) assets(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (list []loci.Asset, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { list, err = tx.Assets().List(e.Context(), v, id, l); return err })
	return list, err
}

func testBlobs(e *env) {
	ctx, b := e.Context(), e.st.Blobs()
	for _, content := range []string{"some bytes", "", strings.Repeat("long ", 50_000)} {
		sum := e.put(content)
		if got, err := e.bytesOf(e.org, sum); got != content || err != nil {
			e.Errorf("got %d bytes, %v; want %d", len(got), err, len(content))
		}
		if e.put(content) != sum {
			e.Error("the same bytes have two hashes")
		}
	}
	sum := sha256.Sum256([]byte("some bytes"))
	f, err := b.Open(ctx, e.org, sum)
	if err != nil {
		e.Fatal(explain(err))
	}
	defer f.Close()
	part := make([]byte, 5)
	if _, err = f.Seek(-5, io.SeekEnd); err == nil {
		_, err = io.ReadFull(f, part)
	}
	if err != nil || string(part) != "bytes" {
		e.Errorf("the last five: %q, %v", part, err)
	}
	e.ensure("other", loci.NewUserID())
	for name, try := range map[string]func() error{
		"other bytes":      func() error { _, err := b.Open(ctx, e.org, sha256.Sum256([]byte("x"))); return err },
		"in another org":   func() error { _, err := b.Open(ctx, "other", sum); return err },
		"in no org":        func() error { _, err := b.Open(ctx, "absent", sum); return err },
		"in a strange org": func() error { _, err := b.Open(ctx, "../orgs", sum); return err },
		"put in no org":    func() error { _, _, err := b.Put(ctx, "absent", strings.NewReader("x"), 1); return err },
		"sweep no org":     func() error { _, err := b.Sweep(ctx, "absent", e.clock.now()); return err },
		"check no org":     func() error { _, err := b.Check(ctx, "absent"); return err },
	} {
		e.wantCode(name, try(), loci.NotFound)
	}
	if problems, err := b.Check(ctx, e.org); err != nil || len(problems) != 0 {
		e.Errorf("Check: %q, %v", problems, err)
	}
}

// What was not taken leaves nothing.
func testBlobErrors(e *env) {
	ctx, b := e.Context(), e.st.Blobs()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	broken := errors.New("the line was cut")
	for name, tt := range map[string]struct {
		ctx   context.Context //nolint:containedctx // of one call
		r     io.Reader
		limit int64
		is    error
		code  loci.Code
	}{
		"one byte too many": {ctx, strings.NewReader("12345"), 4, nil, loci.TooLarge},
		"far too many":      {ctx, bytes.NewReader(make([]byte, 1<<20)), 100, nil, loci.TooLarge},
		"nothing is taken":  {ctx, strings.NewReader("1"), -1, nil, loci.TooLarge},
		"a broken reader":   {ctx, io.MultiReader(strings.NewReader("123"), iotest.ErrReader(broken)), 10, broken, ""},
		"broken at the end": {ctx, io.MultiReader(strings.NewReader("123"), iotest.ErrReader(broken)), 3, broken, ""},
		"a client who left": {gone, strings.NewReader("123"), 10, context.Canceled, ""},
	} {
		_, size, err := b.Put(tt.ctx, e.org, tt.r, tt.limit)
		if err == nil || loci.CodeOf(err) != tt.code || tt.is != nil && !errors.Is(err, tt.is) {
			e.Errorf("%s: %d, %v", name, size, explain(err))
		}
	}
	if _, _, err := b.Put(ctx, e.org, strings.NewReader("1234"), 4); err != nil {
		e.Errorf("just as much as is allowed: %v", explain(err))
	}
	e.sweep(e.clock.now().Add(1e6*time.Hour), 1) // the last one, and nothing that was left half-way
	for _, content := range []string{"1234", "12345", "123"} {
		_, err := e.bytesOf(e.org, sha256.Sum256([]byte(content)))
		e.wantCode(content, err, loci.NotFound)
	}
}

func testBlobSweep(e *env) {
	m := e.insert()
	named, renewed, free := e.attach(m, "named"), e.put("renewed"), e.put("free")
	begin := e.clock.now()
	e.sweep(begin, 0) // not older than that
	e.clock.move(time.Hour)
	e.put("renewed")
	e.sweep(begin.Add(time.Microsecond), 1)
	if _, err := e.bytesOf(e.org, free); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("what nobody names: %v", err)
	}
	for _, sum := range [][32]byte{renewed, sha256.Sum256([]byte("named"))} {
		if _, err := e.bytesOf(e.org, sum); err != nil {
			e.Errorf("%x: %v", sum, explain(err))
		}
	}
	again := e.attach(m, "named")
	for i, a := range []loci.Asset{named, again} {
		e.clock.move(time.Hour)
		e.sweep(e.clock.now(), 1-i) // first "renewed", then nothing, as one still names the other
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Assets().Remove(ctx, a.ID) })
	}
	e.sweep(e.clock.now(), 1)
	_, err := e.bytesOf(e.org, sha256.Sum256([]byte("named")))
	e.wantCode("after the last attachment", err, loci.NotFound)
}

func testAssets(e *env) {
	m, other := e.insert(), e.insert()
	e.clock.move(time.Minute)
	second := e.attach(m, "bb")
	first := e.asset(m, "a")
	first.CreatedAt = first.CreatedAt.Add(-time.Second)
	if err := e.insertAsset(first); err != nil {
		e.Fatal(explain(err))
	}
	e.attach(other, "ccc")
	e.wantCode("its id again", e.insertAsset(first), loci.Conflict)
	for name, tt := range map[string]struct {
		want   loci.Code
		change func(*loci.Asset)
	}{
		"no memory":      {loci.NotFound, func(a *loci.Asset) { a.MemoryID = loci.NewMemoryID() }},
		"no bytes":       {loci.Conflict, func(a *loci.Asset) { a.SHA256 = strings.Repeat("0", 64) }},
		"not a hash":     {loci.Invalid, func(a *loci.Asset) { a.SHA256 = "xy" }},
		"hash of a path": {loci.Invalid, func(a *loci.Asset) { a.SHA256 = "../../../orgs/default.db" }},
	} {
		a := e.asset(m, "a")
		tt.change(&a)
		e.wantCode(name, e.insertAsset(a), tt.want)
	}
	list, err := e.assets(e.person(), m.ID, loci.LiveOnly)
	if diff := gocmp.Diff([]loci.Asset{first, second}, list); diff != "" || err != nil {
		e.Errorf("oldest first: %v (-want +got):\n%s", err, diff)
	}
	e.wantUsage(e.user, 6)
	e.wantUsage(loci.NewUserID(), 0)
	e.wantUsage(loci.UserID{}, 6)
	remove := func(id loci.AssetID) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Assets().Remove(ctx, id) })
	}
	if err := remove(first.ID); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("removed twice", remove(first.ID), loci.NotFound)
	e.wantUsage(e.user, 5)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
	e.wantUsage(e.user, 3)
	e.wantCode("of an erased memory", remove(second.ID), loci.NotFound)
}

func (e *env) wantUsage(user loci.UserID, want int64) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err := tx.Assets().Usage(ctx, user)
		if got != want {
			e.Errorf("usage %d, want %d", got, want)
		}
		return err
	})
}

// Attachments and sources are seen by who sees their memory, in every lifecycle; a source also has vendors of its own.
func testProvenanceVisibility(e *env) {
	sums := []string{"a", "b"}
	for i, content := range sums {
		sum := e.put(content)
		sums[i] = hex.EncodeToString(sum[:])
	}
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(rapid.IntRange(1, 8).Draw(t, "rows"), 3)
		assets, sources := w.attachAll(sums)
		w.view(func(ctx context.Context, tx store.Tx) error {
			for range 3 {
				v, l := w.viewer(), draw(t, "lifecycle", lifecycles...)
				if err := errors.Join(w.compareAssets(ctx, tx, v, l, assets),
					w.compareSources(ctx, tx, v, l, sources)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// attachAll gives rows attachments and sources, each later than the one before.
func (w *world) attachAll(sums []string) (assets []loci.Asset, sources []loci.Source) {
	for n := range rapid.IntRange(0, 12).Draw(w.t, "attached") {
		m, at := draw(w.t, "to", w.rows...), w.clock.now().Add(time.Duration(n)*time.Microsecond)
		if draw(w.t, "a file", true, false) {
			assets = append(assets, loci.Asset{ID: loci.NewAssetID(), MemoryID: m.ID, UserID: draw(w.t, "by", w.users...),
				Origin: "a", Name: fmt.Sprint(n),
				MediaType: "text/plain", Size: 1, SHA256: draw(w.t, "bytes", sums...), CreatedAt: at})
			continue
		}
		sources = append(sources,
			loci.Source{ID: loci.NewSourceID(), MemoryID: m.ID, Kind: loci.SourceText, Text: fmt.Sprint(n), Quote: "q",
				UserID: draw(w.t, "by", w.users...),
				Origin: "a", AllowedVendors: draw(w.t, "vendors", vendorLists...), CreatedAt: at})
	}
	w.update(func(ctx context.Context, tx store.Tx) error {
		for _, a := range assets {
			if err := tx.Assets().Insert(ctx, a); err != nil {
				return err
			}
		}
		for _, s := range sources {
			if err := tx.Sources().Insert(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	return assets, sources
}

// sees is the rule for what hangs on a memory.
func (w *world) sees(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, vendors []loci.Vendor) bool {
	for _, m := range w.rows {
		if m.ID == id {
			narrow := m.Access
			narrow.AllowedVendors = vendors
			return v.SeesMemory(m, l, w.clock.now()) && (vendors == nil || v.Sees(&narrow, l, w.clock.now()))
		}
	}
	return false
}

func (w *world) compareAssets(ctx context.Context, tx store.Tx, v loci.Viewer, l loci.Lifecycle,
	all []loci.Asset) error {
	for _, m := range w.rows {
		var want []loci.Asset
		for _, a := range all {
			if a.MemoryID == m.ID && w.sees(v, m.ID, l, nil) {
				want = append(want, a)
			}
		}
		got, err := tx.Assets().List(ctx, v, m.ID, l)
		if sees := w.sees(v, m.ID, l, nil); sees != (err == nil) || !sees && loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("List of attachments for %+v: %v, but the rule says %v", v, err, sees)
		}
		w.differ("attachments", v, want, got)
	}
	for _, a := range all {
		got, err := tx.Assets().Get(ctx, v, a.ID, l)
		if sees := w.sees(v, a.MemoryID, l, nil); sees != (err == nil && got == a) ||
			!sees && loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("Get of an attachment for %+v: %+v, %v, but the rule says %v", v, got, err, sees)
		}
	}
	r := idRange[loci.AssetID](w, l)
	want := within(all, r, func(a loci.Asset) (loci.AssetID, bool) { return a.ID, w.sees(v, a.MemoryID, l, nil) })
	got, err := tx.Assets().Between(ctx, v, r)
	w.differ("attachments between", v, want, got)
	return err
}

// idRange returns a range of ids, which has all of them if both ends are free.
func idRange[ID ~[16]byte](w *world, l loci.Lifecycle) store.IDRange[ID] {
	r := store.IDRange[ID]{Lifecycle: l, Limit: rapid.IntRange(1, 5).Draw(w.t, "limit")}
	r.First[0], r.Last[0] = draw[byte](w.t, "first", 0, 0, 64), draw[byte](w.t, "last", 255, 255, 192)
	for i := range r.Last[1:] {
		r.Last[i+1] = 255
	}
	return r
}

// within returns what is visible of all in a range of ids. of returns an id, and whether it is visible.
func within[T any, ID ~[16]byte](all []T, r store.IDRange[ID], of func(T) (ID, bool)) (out []T) {
	for _, x := range all {
		if id, sees := of(x); sees && bytes.Compare(id[:], r.First[:]) >= 0 && bytes.Compare(id[:], r.Last[:]) <= 0 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b T) int {
		x, _ := of(a)
		y, _ := of(b)
		return bytes.Compare(x[:], y[:])
	})
	return out[:min(r.Limit, len(out))]
}

func (w *world) compareSources(ctx context.Context, tx store.Tx, v loci.Viewer, l loci.Lifecycle,
	all []loci.Source) error {
	var ids []loci.MemoryID
	for _, m := range w.rows {
		if draw(w.t, "asked for", true, true, false) {
			ids = append(ids, m.ID)
		}
	}
	asked := map[loci.MemoryID]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	var want []loci.Source
	for _, s := range all {
		if asked[s.MemoryID] && w.sees(v, s.MemoryID, l, append([]loci.Vendor{}, s.AllowedVendors...)) {
			want = append(want, s)
		}
	}
	for _, s := range all {
		got, err := tx.Sources().Get(ctx, v, s.ID, l)
		sees := w.sees(v, s.MemoryID, l, append([]loci.Vendor{}, s.AllowedVendors...))
		if sees != (err == nil && gocmp.Equal(got, s)) || !sees && loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("Get of a source for %+v: %+v, %v, but the rule says %v", v, got, err, sees)
		}
	}
	got, err := tx.Sources().List(ctx, v, ids, l)
	w.differ("sources", v, want, got)
	r := idRange[loci.SourceID](w, l)
	want = within(all, r, func(s loci.Source) (loci.SourceID, bool) {
		return s.ID, w.sees(v, s.MemoryID, l, append([]loci.Vendor{}, s.AllowedVendors...))
	})
	got, failed := tx.Sources().Between(ctx, v, r)
	w.differ("sources between", v, want, got)
	return errors.Join(err, failed)
}

// However uploads, attaching, detaching and sweeps meet, what is attached has its bytes. A sweep
// that takes whatever it may can fail an upload, never lose one.
func testBlobsAtOnce(e *env) {
	m := e.insert()
	var writers, sweeper sync.WaitGroup
	stop := make(chan struct{})
	sweeper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := e.st.Blobs().Sweep(e.Context(), e.org, e.clock.now().Add(1e6*time.Hour)); err != nil {
					e.Errorf("Sweep: %v", explain(err))
					return
				}
			}
		}
	})
	for n := range 4 {
		writers.Go(func() {
			for i := range 40 {
				e.attachAndLook(m, fmt.Sprint("content ", (n+i)%5)) // all write the same few files
			}
		})
	}
	writers.Wait()
	close(stop)
	sweeper.Wait()
	if problems, err := e.st.Blobs().Check(e.Context(), e.org); err != nil || len(problems) != 0 {
		e.Errorf("Check: %q, %v", problems, err)
	}
}

func (e *env) attachAndLook(m *loci.Memory, content string) {
	for {
		sum, size, err := e.st.Blobs().Put(e.Context(), e.org, strings.NewReader(content), 100)
		a := loci.Asset{ID: loci.NewAssetID(), MemoryID: m.ID, UserID: e.user, Size: size, SHA256: hex.EncodeToString(sum[:]),
			CreatedAt: e.clock.now()}
		if err == nil {
			err = e.insertAsset(a)
		}
		if code := loci.CodeOf(err); code == loci.Unavailable || code == loci.Conflict {
			continue // swept away
		}
		if err != nil {
			e.Errorf("attach: %v", explain(err))
			return
		}
		if got, err := e.bytesOf(e.org, sum); got != content || err != nil {
			e.Errorf("the bytes of an attachment: %q, %v", got, explain(err))
		}
		if err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
			return tx.Assets().Remove(ctx, a.ID)
		}); err != nil {
			e.Errorf("Remove: %v", explain(err))
		}
		return
	}
}
