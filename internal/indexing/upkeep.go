package indexing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// limits say when to write and merge files.
type limits struct {
	flushRows int // rows in memory that are worth a file
	buildRows int // the same while rows are being read or changes followed
	// fileRows is about how many rows a file has at most. It bounds the memory that a merge takes.
	fileRows int
	follow   time.Duration // how often changes are followed that no search has asked for
	// stint is how long the build of an index goes on before it lets searches in.
	stint time.Duration
	// events is how many events are followed at a time, and block how many rows of a session a block has at least.
	events, block int
}

var usualLimits = limits{flushRows: 1 << 10, buildRows: 8 << 10, fileRows: 128 << 10,
	follow: 2 * time.Second, stint: 50 * time.Millisecond, events: 1000, block: blockRows}

// rewriteEvery is how long words of erased memories may stay in files.
const rewriteEvery = 10 * time.Minute

// Run writes what is in memory to files, and merges files, until ctx ends. What is erased leaves the
// files within ten minutes. One process needs to run it; several may.
func (x *Index) Run(ctx context.Context) {
	x.removeDeleted(ctx)
	rewrite := time.NewTicker(rewriteEvery)
	defer rewrite.Stop()
	x.run(ctx, rewrite.C)
}

// RunUsed is Run for a process beside others: it looks only after what this process uses.
func (x *Index) RunUsed(ctx context.Context) { x.run(ctx, nil) }

func (x *Index) run(ctx context.Context, rewrite <-chan time.Time) {
	follow := time.NewTicker(x.limits.follow)
	defer follow.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rewrite:
			x.rewriteAll(ctx)
			continue
		case <-follow.C:
		case <-x.due:
		}
		for _, o := range x.open() {
			if o.waiting.Swap(false) || !x.onlyUsed {
				x.upkeep(ctx, o, false, x.limits.stint)
			}
		}
	}
}

// flushTime is how long Flush goes on with a build.
const flushTime = 2 * time.Second

// Flush writes what is in memory to files, if it is worth it. If a build has begun, Flush goes on with it
// for two seconds, and the next process goes on from there. Call it at the end of a process.
func (x *Index) Flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	for _, o := range x.open() {
		x.upkeep(ctx, o, false, 0)
	}
}

// upkeep goes on with the build of one org's index, and tidies its files. Nothing depends on it but time and space,
// so errors are only logged. After each stint it takes a pause, so that whoever makes the changes gets on, too.
func (x *Index) upkeep(ctx context.Context, o *orgIndex, erased bool, pause time.Duration) {
	begin := time.Now()
	for more := true; more && ctx.Err() == nil; {
		behind, err := false, error(nil)
		uses := o.uses.Load()
		if more, behind, err = x.goOn(ctx, o); err == nil {
			err = x.tidy(ctx, o, erased)
		}
		if err != nil && ctx.Err() == nil {
			o.log.WarnContext(ctx, "cannot write the index; searches read it in memory", "error", err)
			return
		}
		if behind {
			if o.uses.Load() > uses && time.Since(begin) < givesWay {
				rest(ctx, longer*pause)
			}
			rest(ctx, pause)
			more = true
		}
	}
}

// goOn goes on with a build for a short time. It reports whether there is more to build, or whether more changes than
// it had time for are left.
func (x *Index) goOn(ctx context.Context, o *orgIndex) (more, behind bool, err error) {
	short, cancel := context.WithTimeout(ctx, x.limits.stint)
	defer cancel()
	if !o.lock(short) {
		return true, false, nil
	}
	defer o.unlock()
	before := o.steps.Load()
	err = x.view(ctx, o.org, func(r rows) error {
		err := o.follow(short, r)
		if short.Err() != nil && o.steps.Load() == before {
			return o.step(ctx, r) // else a busy machine, which does nothing to the end in a stint, would never get on
		}
		return err
	})
	switch {
	case loci.CodeOf(err) == loci.NotFound: // somebody has deleted the org
		x.close(o)
		o.forget()
		return false, false, nil
	case short.Err() != nil && ctx.Err() == nil && (err == nil || o.steps.Load() > before): // the stint is over
		err = nil
	case loci.CodeOf(err) == loci.Unavailable: // the next round tries again
		return false, false, nil
	}
	return !o.built, o.built && !o.ended && o.steps.Load() > before, err
}

// wantsUpkeep reports whether there is something to do. The caller has the lock.
func (o *orgIndex) wantsUpkeep() bool {
	return o.begun && (!o.built || o.worthAFile() || o.worthMerging())
}

func (o *orgIndex) worthAFile() bool {
	least := o.limits.buildRows
	if o.built && o.ended {
		least = o.limits.flushRows
	}
	return o.files != nil && o.memoryRows() >= least
}

// worthMerging reports whether a build has left several files. Each search reads all files, so it takes
// up to half as long again with eight files as with one.
func (o *orgIndex) worthMerging() bool { return o.fresh && o.inFiles() > 1 }

func (o *orgIndex) memoryRows() (n int) {
	for _, p := range o.parts[o.inFiles():] {
		n += p.view.Live()
	}
	return n
}

// tidy writes rows in memory to a file if there are enough, and merges files.
func (x *Index) tidy(ctx context.Context, o *orgIndex, erased bool) error {
	if o.files == nil || !o.lock(ctx) {
		return nil
	}
	due := o.worthAFile() || o.worthMerging() ||
		erased && slices.ContainsFunc(o.parts, func(p *part) bool { return p.erased })
	o.unlock()
	if _, err := o.adopt(ctx); err != nil || !due {
		return err
	}
	release, ok, err := o.files.lock()
	if err != nil || !ok {
		return err
	}
	defer release()
	if adopted, err := o.adopt(ctx); err != nil || adopted {
		return err
	}
	if err := o.flush(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if merged, err := o.merge(ctx, erased); err != nil || !merged {
			return err
		}
	}
	return nil
}

// adopt takes over the files of another process that has written since, and forgets what is in memory.
// The next search reads again what these files lack.
func (o *orgIndex) adopt(ctx context.Context) (adopted bool, err error) {
	m, err := o.files.manifest()
	if err != nil && !errors.Is(err, fs.ErrNotExist) || !o.lock(ctx) {
		return false, nil // a damaged manifest is replaced
	}
	defer o.unlock()
	if m.Version == o.saved.Version || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	o.forget()
	o.load(ctx)
	return true, nil
}

// load reads the files, if there are any that can be read. The caller has the lock.
func (o *orgIndex) load(ctx context.Context) {
	if o.files == nil {
		return
	}
	m, parts, err := o.files.parts()
	if errors.Is(err, fs.ErrNotExist) { // another process may have merged files just now
		m, parts, err = o.files.parts()
	}
	o.saved = m
	switch {
	case err == nil:
		o.parts, o.at, o.building, o.built, o.begun = parts, m.Position, walk{rest: m.Rest}, m.Built, true
	case !errors.Is(err, fs.ErrNotExist):
		o.log.WarnContext(ctx, "cannot read the index; it will be built again", "error", err)
	}
}

func (f *files) parts() (m manifest, parts []*part, err error) {
	if m, err = f.manifest(); err != nil {
		return m, nil, err
	}
	for _, l := range m.Segments {
		p, err := f.part(l)
		if err != nil {
			return m, nil, err
		}
		parts = append(parts, p)
	}
	return m, parts, nil
}

// flush writes all rows in memory to one file, and to the manifest what has gone from the others. Searches go
// on meanwhile. The caller has the lock of the files.
func (o *orgIndex) flush(ctx context.Context) error {
	if !o.lock(ctx) {
		return nil
	}
	first, old := o.inFiles(), slices.Clone(o.parts)
	frozen := old[first:]
	m := manifest{Version: o.saved.Version, Position: o.at, Rest: o.building.rest, Built: o.built}
	for _, p := range old[:first] {
		m.Segments = append(m.Segments, listed{p.name, p.gone, p.erased})
	}
	o.frozen = len(frozen)
	o.unlock()
	written, err := o.files.merge(viewsOf(frozen))
	if written != nil {
		m.Segments = append(m.Segments, listed{Name: written.name})
	}
	if err == nil && len(old) > 0 {
		err = o.files.replace(&m)
	}
	o.turn <- struct{}{}
	defer o.unlock()
	defer func() { o.frozen = 0 }()
	if err != nil || len(old) == 0 || o.frozen != len(frozen) || !o.inPlace(0, old[:first]) {
		return err // or everything was forgotten meanwhile
	}
	parts := slices.Clone(o.parts[:first])
	if written != nil {
		parts = append(parts, written.withoutMissing(o.parts[first:first+len(frozen)]))
	}
	o.set(m, append(parts, o.parts[first+len(frozen):]...))
	return nil
}

// merge writes one segment of the rows of some views and maps it. It returns nil if there are no rows.
func (f *files) merge(views []*index.View) (*part, error) {
	if !slices.ContainsFunc(views, func(v *index.View) bool { return v.Live() > 0 }) {
		return nil, nil
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // cannot fail
	name := hex.EncodeToString(b[:]) + segmentSuffix
	if err := f.write(name, index.Merge(views)); err != nil {
		return nil, err
	}
	return f.part(listed{Name: name})
}

// inPlace reports whether the files of these parts still are those of the parts from the given one on.
func (o *orgIndex) inPlace(from int, list []*part) bool {
	to := from + len(list)
	return to <= len(o.parts) &&
		slices.EqualFunc(list, o.parts[from:to], func(a, b *part) bool { return a.name == b.name })
}

// withoutMissing returns the part without the rows that none of the parts has any more from which it was
// made. If they may have been erased, their words must leave the file, because it was written with them.
func (p *part) withoutMissing(from []*part) *part {
	var gone []rowID
	p.view.Each(func(id [16]byte) bool {
		if !slices.ContainsFunc(from, func(f *part) bool { return f.view.Has(id) }) {
			gone = append(gone, id)
		}
		return true
	})
	if len(gone) == 0 {
		return p
	}
	out := p.without(gone)
	out.erased = slices.ContainsFunc(from, func(f *part) bool { return f.erased })
	return out
}

// replace writes another manifest instead of one of m.Version. It may lack rows that have gone since its position:
// whoever reads it follows the changes from there. It waits for the disk, so the caller has the lock of the files only.
func (f *files) replace(m *manifest) error {
	m.Version = max(m.Version, onDisk(f)) + 1
	if err := f.commit(*m); err != nil {
		return err
	}
	f.sweep(*m)
	return nil
}

// set makes these the parts, which a manifest on disk has. The caller has both locks.
func (o *orgIndex) set(m manifest, parts []*part) {
	for i, l := range m.Segments {
		p := *parts[i]
		p.saved = len(l.Gone)
		parts[i] = &p
	}
	o.saved, o.parts = m, parts
}

func onDisk(f *files) uint64 {
	m, _ := f.manifest() // a damaged one has no number
	return m.Version
}

// merge merges files, so that there are few, or writes one again without what was erased. It reports
// whether it did something. The caller has the lock of the files.
func (o *orgIndex) merge(ctx context.Context, erased bool) (done bool, err error) {
	if !o.lock(ctx) {
		return false, nil
	}
	from, to := o.mergeable(erased)
	old, m := slices.Clone(o.parts[from:to]), o.saved
	o.unlock()
	if len(old) == 0 {
		return false, nil
	}
	saved := make([]*index.View, len(old))
	for i, p := range old {
		saved[i] = p.inManifest()
	}
	written, err := o.files.merge(saved)
	runtime.KeepAlive(old) // the files stay mapped until then
	var merged []listed
	if written != nil {
		merged = []listed{{Name: written.name}}
	}
	m.Segments = slices.Concat(m.Segments[:from], merged, m.Segments[to:])
	if err == nil {
		err = o.files.replace(&m)
	}
	if err != nil || !o.lock(ctx) {
		return false, err
	}
	defer o.unlock()
	if !o.inPlace(from, old) {
		return false, nil
	}
	parts := slices.Clone(o.parts[:from])
	if written != nil {
		parts = append(parts, written.withoutMissing(o.parts[from:to]))
	}
	o.set(m, append(parts, o.parts[to:]...))
	return true, nil
}

// mergeable returns which parts in files to merge into one. Rows that went since the manifest would stay, so
// they are no reason.
func (o *orgIndex) mergeable(erased bool) (from, to int) {
	to = o.inFiles()
	for i, p := range o.parts[:to] {
		if erased && o.saved.Segments[i].Erased || p.saved > p.view.Len()/2 {
			return i, i + 1
		}
	}
	if o.fresh {
		if from, to := o.left(to); to > from {
			return from, to
		}
		o.fresh = false
	}
	for i := range o.parts[:to] {
		first, rows := i, 0
		for j := i; j < to && o.size(j) == o.size(i) && rows < o.limits.fileRows; j++ {
			if rows += o.parts[j].view.Live(); j-first+1 == tier || j > first && rows >= o.limits.fileRows {
				return first, j + 1
			}
		}
	}
	return 0, 0
}

// left returns which of the first n parts to merge after a build: as many as one file may have.
func (o *orgIndex) left(n int) (from, to int) {
	for from = range o.parts[:n] {
		rows := 0
		for to = from; to < n; to++ {
			if rows += o.parts[to].view.Live(); rows > o.limits.fileRows {
				break
			}
		}
		if to > from+1 {
			return from, to
		}
	}
	return 0, 0
}

// size returns the tier of a part in a file. Files of one tier are merged into one of the next, so that each
// row is merged few times.
func (o *orgIndex) size(i int) (n int) {
	for rows := o.parts[i].view.Live() / max(o.limits.flushRows, 1); rows >= tier; rows /= tier {
		n++
	}
	return n
}

// inManifest returns the part as the manifest has it. Rows that have gone since are there, because nothing else
// in the files has them. Whoever reads the files follows the changes from the manifest's position.
func (p *part) inManifest() *index.View {
	return index.NewView(p.view.Segment, converted[[16]byte](p.gone[:p.saved])...)
}

// rewriteAll takes what was erased out of the files of all orgs, also of those that nobody uses. It closes
// the indexes that have not been used since the last time, except those without a directory.
func (x *Index) rewriteAll(ctx context.Context) {
	if x.dir == "" {
		return
	}
	for _, org := range x.listFiled(x.filed) {
		x.of(org)
	}
	for _, o := range x.open() {
		x.upkeep(ctx, o, true, 0)
		if !o.used.Swap(false) {
			x.close(o)
		}
	}
}

// removeDeleted removes the files of orgs that do not exist any more.
func (x *Index) removeDeleted(ctx context.Context) {
	for _, org := range x.listFiled(x.filed) {
		if x.gone(ctx, org) {
			x.Drop(ctx, org)
		}
	}
}

// listFiled returns the orgs with directories that match a pattern.
func (x *Index) listFiled(pattern string) (list []loci.OrgID) {
	if x.dir == "" {
		return nil
	}
	dirs, _ := fs.Glob(os.DirFS(x.dir), pattern) // there may be none yet
	for _, dir := range dirs {
		list = append(list, loci.OrgID(dir))
	}
	return list
}

// Drop removes the index of an org.
func (x *Index) Drop(ctx context.Context, org loci.OrgID) {
	o := x.of(org)
	if !o.lock(ctx) {
		return
	}
	defer o.unlock()
	x.close(o)
	o.forget()
	o.loaded, o.saved = false, manifest{}
	if o.files == nil {
		return
	}
	if err := os.RemoveAll(o.files.dir); err != nil {
		o.log.WarnContext(ctx, "cannot remove the index", "error", err)
	}
}
