package arc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// classBytes is how much of a digest names a class. Nobody can choose an access so that its first 16
// bytes are those of another one that exists.
const classBytes = 16

// classOf names the class of an access by its SHA-256. Everything that the visibility rule reads is in it, and
// the order of vendors doesn't count.
func classOf(a *loci.EventAccess) string {
	vendors := loci.OrEmpty(slices.Compact(slices.Sorted(slices.Values(a.AllowedVendors))))
	text, err := json.Marshal([]any{a.OrgID, a.UserID, a.WorkspaceID, a.ProjectID, a.Reach, a.TeamID, vendors})
	if err != nil {
		panic(err) // all of these are text
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:classBytes])
}

// accessTable is an eventlog.AccessTable as reads need it.
type accessTable struct {
	revision int64
	classes  map[string]loci.EventAccess
	moved    map[loci.SessionID]map[string]loci.EventAccess // by the class with which events were stored
}

func newAccessTable(t *eventlog.AccessTable) *accessTable {
	a := &accessTable{t.Revision, map[string]loci.EventAccess{}, map[loci.SessionID]map[string]loci.EventAccess{}}
	for _, stored := range t.Stored {
		a.classes[classOf(&stored)] = stored
	}
	for _, m := range t.Moved {
		if a.moved[m.SessionID] == nil {
			a.moved[m.SessionID] = map[string]loci.EventAccess{}
		}
		a.moved[m.SessionID][classOf(&m.From)] = m.To
	}
	return a
}

// of returns the present access of an event. ok is false if the class is unknown; then nobody may see the event.
func (t *accessTable) of(s loci.SessionID, class, origin string) (access loci.EventAccess, ok bool) {
	if access, ok = t.moved[s][class]; !ok {
		access, ok = t.classes[class]
	}
	access.Origin = origin
	return access, ok
}

// accesses keeps the table of each org until the local log has another one.
type accesses struct {
	local eventlog.Accesses
	mu    sync.Mutex
	known map[loci.OrgID]*accessTable
}

func (a *accesses) get(ctx context.Context, org loci.OrgID) (*accessTable, error) {
	a.mu.Lock()
	table := a.known[org]
	a.mu.Unlock()
	have := int64(-1)
	if table != nil {
		have = table.revision
	}
	fresh, err := a.local.Accesses(ctx, org, have)
	if err != nil || fresh == nil {
		return table, err
	}
	table = newAccessTable(fresh)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[org] = table
	return table, nil
}

func (a *accesses) drop(org loci.OrgID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.known, org)
}

// scope is the part of the events that a viewer sees, by the classes with which they were stored.
type scope struct {
	classes []string // all events of these, except exclude
	exclude []pair
	include []pair // of other classes
	// first and last limit the sessions, if a statement can't hold all of exclude. "": no limit.
	first, last string
}

// pair is the events of a session that were stored with one of some classes.
type pair struct {
	session string
	classes []string
}

// visible returns the part that passes sees. Unless s is zero, only that session is of interest.
func (t *accessTable) visible(s loci.SessionID, sees func(*loci.EventAccess) bool) (found scope) {
	for _, class := range slices.Sorted(maps.Keys(t.classes)) {
		if access := t.classes[class]; sees(&access) {
			found.classes = append(found.classes, class)
		}
	}
	for id, classes := range t.moved {
		if !s.IsZero() && id != s {
			continue
		}
		hidden, shown := pair{session: id.String()}, pair{session: id.String()}
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			was, known := t.classes[class]
			access := classes[class]
			before, now := known && sees(&was), sees(&access)
			if before && !now {
				hidden.classes = append(hidden.classes, class)
			}
			if !before && now {
				shown.classes = append(shown.classes, class)
			}
		}
		found.exclude, found.include = appendPair(found.exclude, hidden), appendPair(found.include, shown)
	}
	bySession := func(a, b pair) int { return strings.Compare(a.session, b.session) }
	slices.SortFunc(found.exclude, bySession)
	slices.SortFunc(found.include, bySession)
	return found
}

func appendPair(list []pair, p pair) []pair {
	if len(p.classes) == 0 {
		return list
	}
	return append(list, p)
}

// isEmpty reports whether nothing is visible.
func (s *scope) isEmpty() bool { return len(s.classes) == 0 && len(s.include) == 0 }

// condition selects the events of the scope.
func (s *scope) condition() condition {
	var some []condition
	if len(s.classes) > 0 {
		own := []condition{anyOf(colClass, s.classes)}
		for _, p := range s.exclude {
			own = append(own, not(p.condition()))
		}
		if s.first != "" {
			own = append(own, compare(colSession, ">=", s.first))
		}
		if s.last != "" {
			own = append(own, compare(colSession, "<", s.last))
		}
		some = append(some, all(own...))
	}
	for _, p := range s.include {
		some = append(some, p.condition())
	}
	return either(some...)
}

func (p *pair) condition() condition {
	return all(is(colSession, p.session), anyOf(colClass, p.classes))
}

// split returns scopes that together have exactly the events of s, each of them once, and whose
// conditions have at most limit bytes.
func (s *scope) split(limit int) []scope {
	if s.isEmpty() {
		return nil
	}
	if len(s.condition().sql) <= limit {
		return []scope{*s}
	}
	var parts []scope
	size := func(string) int { return classSize }
	whole, divided := s.divide()
	for classes := range chunks(whole, limit*9/10, size) {
		parts = append(parts, scope{classes: classes})
	}
	for classes := range chunks(divided, limit/2, size) {
		parts = append(parts, scope{classes: classes, exclude: among(s.exclude, classes)}.splitSessions(limit/3)...)
	}
	for include := range chunks(splitPairs(s.include, limit/2), limit*3/4, pair.size) {
		parts = append(parts, scope{include: include})
	}
	return parts
}

// divide returns the classes of which nothing is excluded, and the others.
func (s *scope) divide() (whole, divided []string) {
	excluded := map[string]bool{}
	for _, p := range s.exclude {
		for _, class := range p.classes {
			excluded[class] = true
		}
	}
	for _, class := range s.classes {
		if excluded[class] {
			divided = append(divided, class)
		} else {
			whole = append(whole, class)
		}
	}
	return whole, divided
}

// splitSessions divides a scope by session until the exclusions of each part have at most limit bytes.
func (s scope) splitSessions(limit int) (parts []scope) {
	first := ""
	for exclude := range chunks(s.exclude, limit, pair.size) {
		part := scope{classes: s.classes, exclude: exclude, first: first}
		parts = append(parts, part)
		first = exclude[len(exclude)-1].session + "~" // after this session, before all others
	}
	if len(parts) == 0 {
		return []scope{s}
	}
	for i := range len(parts) - 1 {
		parts[i].last = parts[i+1].first
	}
	return parts
}

const (
	classSize = 2*classBytes + 4
	pairSize  = 130 // of what is around the classes in the condition of a pair
)

func (p pair) size() int { return pairSize + len(p.classes)*classSize }

// among returns the pairs with only these classes.
func among(pairs []pair, classes []string) (found []pair) {
	for _, p := range pairs {
		own := pair{session: p.session}
		for _, c := range p.classes {
			if slices.Contains(classes, c) {
				own.classes = append(own.classes, c)
			}
		}
		found = appendPair(found, own)
	}
	return found
}

// splitPairs divides pairs with more classes than fit.
func splitPairs(pairs []pair, limit int) (found []pair) {
	for _, p := range pairs {
		for classes := range chunks(p.classes, limit, func(string) int { return classSize }) {
			found = append(found, pair{p.session, classes})
		}
	}
	return found
}

// chunks yields list in pieces whose sizes add up to at most limit, or that have one element.
func chunks[T any](list []T, limit int, size func(T) int) func(func([]T) bool) {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n, total := 1, size(list[0])
			for n < len(list) && total+size(list[n]) <= limit {
				total += size(list[n])
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}
