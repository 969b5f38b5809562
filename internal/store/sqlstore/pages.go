package sqlstore

import (
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
)

// Pages keep pages of lists, because most readers ask for the same ones again and again. A page is
// used only by readers of the same viewer and the same query, and only as long as nobody, in any
// process, has committed to the org since it was read.
type Pages = memo.Memo[pageKey, store.Stamp, *keptPage]

// NewPages returns Pages without a page.
func NewPages() *Pages { return memo.New[pageKey, store.Stamp, *keptPage](keptBytes) }

const (
	// keptBytes limits the memory that half of the pages take.
	keptBytes = 2 << 20
	// keptPageBytes is the size up to which a page is kept. One text may have 400 kB.
	keptPageBytes = 64 << 10
	// rowBytes is about what a memory takes besides its texts.
	rowBytes = 1 << 10
)

// KeptPages are the pages for one transaction that only reads.
type KeptPages struct {
	Of *Pages
	// Stamp is from before the transaction's snapshot.
	Stamp store.Stamp
	// Now returns the stamp of the present state. ok is false if it is unknown.
	Now func() (stamp store.Stamp, ok bool)
}

// still reports whether nobody has committed since the snapshot.
func (k *KeptPages) still() bool {
	now, ok := k.Now()
	return ok && now == k.Stamp
}

// pageKey finds a page. What it leaves out is compared afterwards.
type pageKey struct {
	org     loci.OrgID
	user    loci.UserID
	agent   loci.AgentID
	project loci.ProjectID
	vendor  loci.Vendor
	tag     string
	after   store.Position
	limit   int
}

// keptPage is what fill has read. made and until are the times for which it holds, without the latter.
type keptPage struct {
	v           loci.Viewer
	q           store.ListQuery
	made, until time.Time // until zero: no row expires
	memories    []*loci.Memory
	calm        []loci.MemoryID
	last        Place
	more        bool
}

// holds reports whether the page is also the answer to another request.
func (p *keptPage) holds(v *loci.Viewer, q *store.ListQuery, now time.Time) bool {
	return !now.Before(p.made) && (p.until.IsZero() || now.Before(p.until)) &&
		sameQuery(&p.q, q) && sameViewer(&p.v, v)
}

// sameQuery compares every field. reflect.DeepEqual takes twenty times as long.
func sameQuery(a, b *store.ListQuery) bool {
	return a.Limit == b.Limit && a.After == b.After && a.Offset == b.Offset && a.Oldest == b.Oldest &&
		a.Total == b.Total && a.All == b.All && sameFilter(&a.Filter, &b.Filter)
}

func sameFilter(a, b *store.Filter) bool {
	return slices.Equal(a.Tags, b.Tags) && a.AllTags == b.AllTags && a.Origin == b.Origin && a.Type == b.Type &&
		a.Category == b.Category && a.Key == b.Key && a.Scope == b.Scope && a.ProjectID == b.ProjectID &&
		a.OrGlobal == b.OrGlobal && a.AgentID == b.AgentID && a.SessionID == b.SessionID && a.TeamID == b.TeamID &&
		a.Pinned == b.Pinned && a.HiddenFrom == b.HiddenFrom && a.From == b.From && a.To == b.To &&
		a.Lifecycle == b.Lifecycle && a.When == b.When
}

func sameViewer(a, b *loci.Viewer) bool {
	return a.OrgID == b.OrgID && a.UserID == b.UserID && a.TeamID == b.TeamID && a.OnlyProjects == b.OnlyProjects &&
		a.WorkspaceID == b.WorkspaceID && a.AgentID == b.AgentID && a.Vendor == b.Vendor &&
		slices.Equal(a.ProjectIDs, b.ProjectIDs)
}

// keepable reports whether nothing but the rows of the page and their expiry decides what is on it.
// Those that an offset skips would decide too.
func keepable(q *store.ListQuery) bool {
	return q.Lifecycle == loci.LiveOnly && q.When.IsZero() && q.Offset == 0
}

func keyOf(v *loci.Viewer, q *store.ListQuery) pageKey {
	k := pageKey{org: v.OrgID, user: v.UserID, agent: v.AgentID, vendor: v.Vendor, project: q.ProjectID, after: q.After,
		limit: q.Limit}
	if len(q.Tags) > 0 {
		k.tag = q.Tags[0]
	}
	return k
}

// withoutTotal returns the part of a query that decides what is on the page.
func withoutTotal(q *store.ListQuery) store.ListQuery {
	only := *q
	only.Total, only.All = false, false
	return only
}

// kept returns a page that an earlier transaction has read, or nil. Its memories must not be changed.
func (t lists) kept(v loci.Viewer, lq *store.ListQuery) *keptPage {
	k := &t.Kept
	if k.Of == nil || !keepable(lq) {
		return nil
	}
	q := withoutTotal(lq)
	if p, ok := k.Of.Get(keyOf(&v, lq), k.Stamp); ok && p.holds(&v, &q, t.Now()) {
		return p
	}
	return nil
}

// keep lets later transactions use a page that this one has read.
func (t lists) keep(v loci.Viewer, lq *store.ListQuery, p *keptPage) {
	k := &t.Kept
	if k.Of == nil || !keepable(lq) {
		return
	}
	bytes := 0
	for _, m := range p.memories {
		bytes += rowBytes + len(m.Title) + len(m.Summary) + len(m.Content)
		p.expires(m)
	}
	if bytes > keptPageBytes || !k.still() {
		return
	}
	p.v, p.q = v, withoutTotal(lq)
	p.v.ProjectIDs, p.q.Tags = slices.Clone(v.ProjectIDs), slices.Clone(lq.Tags)
	p.memories, p.calm = clones(p.memories), slices.Clone(p.calm)
	k.Of.Put(keyOf(&v, lq), k.Stamp, p, bytes)
}

// expires lets the page end at the latest when m expires.
func (p *keptPage) expires(m *loci.Memory) {
	if at := m.ExpiresAt; !at.IsZero() && (p.until.IsZero() || at.Before(p.until)) {
		p.until = at
	}
}

// clones returns copies that share no data with list. They share their memory with each other, because
// a page of single copies would take sixty pieces of it.
func clones(list []*loci.Memory) []*loci.Memory {
	if len(list) == 0 {
		return nil
	}
	tags, vendors := 0, 0
	for _, m := range list {
		tags, vendors = tags+len(m.Tags), vendors+len(m.AllowedVendors)
	}
	copies, rows := make([]*loci.Memory, len(list)), make([]loci.Memory, len(list))
	allTags, allVendors := make([]string, 0, tags), make([]loci.Vendor, 0, vendors)
	for i, m := range list {
		rows[i], copies[i] = *m, &rows[i]
		rows[i].Tags, allTags = appended(allTags, m.Tags)
		rows[i].AllowedVendors, allVendors = appended(allVendors, m.AllowedVendors)
	}
	return copies
}

// appended appends a list to all, and returns it as a part of all that no append can outgrow.
func appended[T any](all, list []T) (part, longer []T) {
	if list == nil {
		return nil, all
	}
	from := len(all)
	all = append(all, list...)
	return all[from:len(all):len(all)], all
}
