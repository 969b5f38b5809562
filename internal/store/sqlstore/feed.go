package sqlstore

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type feed struct{ *Tx }

// feedEntry is one change to add to the feed. A reader learns of it only if the reader may see
// everything in before or everything in after. Each is empty if the row did not exist then.
type feedEntry struct {
	kind          loci.FeedKind
	id            [16]byte
	change        loci.Change
	version       int
	origin        string
	before, after []loci.Access
	at            time.Time // zero: now
}

// enter adds a change to the feed, in the transaction of the change.
func (tx *Tx) enter(e feedEntry) error {
	before, err := packAccess(e.before)
	if err != nil {
		return err
	}
	after, err := packAccess(e.after)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		before = nil // a reader who cannot see it could not see it before either
	}
	if e.at.IsZero() {
		e.at = tx.Now()
	}
	row := fedRow{feedPlace{at: loci.CutTime(e.at).UnixMicro()}, e.kind, e.id, e.version, e.change}
	row.seq, err = tx.c.Insert("INSERT INTO feed ({org} at, kind, row_id, change, version, origin, access, before) "+
		"VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?)",
		row.at, string(e.kind), e.id, string(e.change), e.version, e.origin, after, before)
	tx.fed = append(tx.fed, row)
	return err
}

// fedRow is what Rows tells of a row of the feed.
type fedRow struct {
	feedPlace
	kind    loci.FeedKind
	id      loci.MemoryID
	version int
	change  loci.Change
}

// memoryChanged adds a change of a memory to the feed. old is nil for a new memory, m is nil for an erased one.
func (tx *Tx) memoryChanged(old, m *loci.Memory) error {
	if m == nil {
		return tx.enter(feedEntry{kind: loci.FeedMemory, id: old.ID, change: loci.Erased, version: old.Version,
			before: []loci.Access{old.Access}})
	}
	e := feedEntry{kind: loci.FeedMemory, id: m.ID, version: m.Version, origin: m.Editor, after: []loci.Access{m.Access}}
	var was *loci.Access
	if old != nil {
		was, e.before = &old.Access, []loci.Access{old.Access}
	}
	e.change = changeOf(was, &m.Access)
	return tx.enter(e)
}

// nodeChanged adds a change of a memory node to the feed. old is nil for a new node, n is nil for an erased one.
func (tx *Tx) nodeChanged(old, n *loci.MemoryNode) error {
	if n == nil {
		return tx.enter(feedEntry{kind: loci.FeedNode, id: old.ID, change: loci.Erased, before: []loci.Access{old.Access}})
	}
	e := feedEntry{kind: loci.FeedNode, id: n.ID, after: []loci.Access{n.Access}}
	var was *loci.Access
	if old != nil {
		was, e.before = &old.Access, []loci.Access{old.Access}
	} else {
		e.origin = n.Origin
	}
	e.change = changeOf(was, &n.Access)
	return tx.enter(e)
}

// itemChanged records that something in a node has changed. It is for readers who see the node
// and everything in seen: the item, the items above it, and the memory that it shows.
func (tx *Tx) itemChanged(n *loci.MemoryNode, seen ...loci.Access) error {
	return tx.enter(feedEntry{kind: loci.FeedNode, id: n.ID, change: loci.Updated,
		after: append([]loci.Access{n.Access}, seen...)})
}

func (t feed) Attached(_ context.Context, m *loci.Memory, origin string, readers []loci.Vendor) error {
	added := m.Access
	added.AllowedVendors = readers
	return t.enter(feedEntry{kind: loci.FeedMemory, id: m.ID, change: loci.Updated, version: m.Version, origin: origin,
		after: []loci.Access{m.Access, added}})
}

// changeOf compares the rows and ignores the change that the writer names: an imported row may begin with any change.
func changeOf(old, now *loci.Access) loci.Change {
	trashed := !now.DeletedAt.IsZero()
	switch {
	case trashed && (old == nil || old.DeletedAt.IsZero()):
		return loci.Trashed
	case old == nil:
		return loci.Created
	case !trashed && !old.DeletedAt.IsZero():
		return loci.Restored
	}
	return loci.Updated
}

// restartFeed makes every reader start over.
func (tx *Tx) restartFeed() error {
	tx.fed = nil
	// Use one more number, so that no reader has seen the last one.
	err := tx.c.Exec("INSERT INTO feed ({org} at, kind, row_id, change, version, origin) VALUES ({?} 0, ?, ?, "+
		"'updated', 0, '')", string(loci.FeedMemory), [16]byte{})
	if err != nil {
		return err
	}
	return tx.c.Exec("DELETE FROM feed WHERE {feed} TRUE")
}

// end returns the end of the feed. The time is 0 if the row there was purged.
func (t feed) end() (p feedPlace, err error) {
	found, err := t.c.One("SELECT seq, at FROM feed WHERE {feed} TRUE ORDER BY seq DESC LIMIT 1", nil,
		func(r Row) error { p.seq, p.at = r.Int64(0), r.Int64(1); return nil })
	if err == nil && !found {
		_, err = t.c.One("{feedend}", nil, func(r Row) error { p.seq = r.Int64(0); return nil })
	}
	return p, err
}

func (t feed) Now(_ context.Context, v loci.Viewer) (store.Position, error) {
	p, err := t.end()
	if err != nil {
		return "", err
	}
	return t.Positions.encodeFeed(p, v), nil
}

func (t feed) After(_ context.Context, v loci.Viewer, q store.FeedQuery) (store.FeedPage, error) {
	if q.Limit < 1 {
		return store.FeedPage{}, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	p, err := t.Positions.decodeFeed(q.After, v)
	if err != nil {
		return store.FeedPage{}, err
	}
	rows, err := t.behind(p)
	if err != nil {
		return store.FeedPage{}, err
	}
	page, seen := store.FeedPage{}, map[string][]loci.Access{}
	for i, r := range rows {
		if page.More = i == store.FeedWindow || len(page.Events) == q.Limit; page.More {
			break
		}
		p = r.place
		if !slices.Contains(q.Kinds, r.event.Kind) {
			continue
		}
		event, err := t.shown(v, &r, slices.Contains(q.All, r.event.Kind), seen)
		if err != nil {
			return store.FeedPage{}, err
		}
		if event.Change != "" {
			page.Events = append(page.Events, store.FeedRow{FeedEvent: event, Position: t.Positions.encodeFeed(p, v)})
		}
	}
	page.Next = t.Positions.encodeFeed(p, v)
	return page, nil
}

// feedRow is a row of the feed, before the visibility check.
type feedRow struct {
	place         feedPlace
	event         loci.FeedEvent
	before, after string // packed
}

const feedBehind = "SELECT seq, at, kind, row_id, change, version, origin, access, before FROM feed WHERE {feed} " +
	"seq >= ? ORDER BY seq LIMIT ?"

// behind returns the rows after p, one more than After looks at.
func (t feed) behind(p feedPlace) (rows []feedRow, err error) {
	err = t.walk(feedBehind, p, func(r Row, place feedPlace) {
		row := feedRow{place: place, before: string(r.Raw(8)), after: string(r.Raw(7))}
		row.event = loci.FeedEvent{At: TimeAt(r, 1), Kind: loci.FeedKind(r.Text(2)), ID: loci.MemoryID(r.ID(3)).String(),
			Change:  loci.Change(r.Text(4)),
			Version: r.Int(5), Origin: r.Text(6)}
		rows = append(rows, row)
	})
	return rows, err
}

// walk calls row for the rows after p, with their places. query returns them with seq and at first. It
// starts at p itself to check that the feed still contains p: if the row is there, its time must match; if
// it is gone, the next row must exist.
func (t feed) walk(query string, p feedPlace, row func(Row, feedPlace)) error {
	first := feedPlace{seq: -1}
	err := t.c.Query(query, Args{p.seq, store.FeedWindow + 2}, func(r Row) error {
		place := feedPlace{r.Int64(0), r.Int64(1)}
		if first.seq < 0 {
			first = place
		}
		if place.seq != p.seq {
			row(r, place)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if first.seq < 0 { // the row and its successor are gone, or do not exist yet
		end, err := t.end()
		if err == nil && end.seq != p.seq {
			err = beginAnew()
		}
		return err
	}
	if first != p && first.seq != p.seq+1 {
		return beginAnew()
	}
	return nil
}

// shown returns the part of a row that v may learn, or all of it. Without a Change, v learns nothing.
func (t feed) shown(v loci.Viewer, r *feedRow, all bool, seen map[string][]loci.Access) (loci.FeedEvent, error) {
	if r.event.Kind == loci.FeedOrg {
		r.event.ID = string(t.Org)
	}
	if all {
		return r.event, nil
	}
	if !r.event.Kind.InWorkspace() {
		v.WorkspaceID = loci.WorkspaceID{}
	}
	before, err := t.accessOf(r.before, seen)
	if err != nil {
		return loci.FeedEvent{}, err
	}
	after, err := t.accessOf(r.after, seen)
	if err != nil {
		return loci.FeedEvent{}, err
	}
	event := r.event
	if event.Change = v.Notices(event.Change, before, after); event.Change == loci.Hidden {
		event.Version, event.Origin = 0, "" // they are of what is hidden
	}
	return event, nil
}

// accessOf unpacks. It caches, because most rows of a feed repeat the same few values.
func (t feed) accessOf(packed string, seen map[string][]loci.Access) (list []loci.Access, err error) {
	list, known := seen[packed]
	if known || packed == "" {
		return list, nil
	}
	if list, err = t.unpackAccess([]byte(packed)); err != nil {
		return nil, fmt.Errorf("cannot read the feed: %w", err)
	}
	seen[packed] = list
	return list, nil
}

// Purge stops at the first event that is recent enough to keep, like the audit trail's Purge: the
// rest of the feed must have no gaps.
func (t feed) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	return t.purgeOldest("feed", "seq", then, limit)
}

// feedPlace is a reader's place in the feed: the last row that was read for it.
type feedPlace struct{ seq, at int64 }

// feedPositionSize is two blocks: first random bytes and the row number, then the time and a hash
// of the viewer. The blocks are chained, so that two positions of one place look unrelated. Parts
// of different positions, put together, decrypt to another viewer and are rejected.
const feedPositionSize = 2 * aes.BlockSize

var noIV [aes.BlockSize]byte // random bytes come first instead

func (p Positions) encodeFeed(at feedPlace, v loci.Viewer) store.Position {
	var b [feedPositionSize]byte
	_, _ = rand.Read(b[:8]) // cannot fail
	binary.BigEndian.PutUint64(b[8:], uint64(at.seq))
	b[8], b[9] = positionFormat, feedPosition // numbers stay far below 2^48
	binary.BigEndian.PutUint64(b[16:], uint64(at.at))
	copy(b[24:], viewerHash(v))
	cipher.NewCBCEncrypter(p.block, noIV[:]).CryptBlocks(b[:], b[:])
	return store.Position(base64.RawURLEncoding.EncodeToString(b[:]))
}

// decodeFeed returns Conflict for a position that belongs to another viewer.
func (p Positions) decodeFeed(s store.Position, v loci.Viewer) (feedPlace, error) {
	b, err := base64.RawURLEncoding.DecodeString(string(s))
	if err != nil || len(b) != feedPositionSize {
		return feedPlace{}, badPosition()
	}
	cipher.NewCBCDecrypter(p.block, noIV[:]).CryptBlocks(b, b)
	if b[8] != positionFormat || b[9] != feedPosition {
		return feedPlace{}, badPosition()
	}
	if !bytes.Equal(b[24:], viewerHash(v)) {
		return feedPlace{}, beginAnew()
	}
	b[8], b[9] = 0, 0
	return feedPlace{int64(binary.BigEndian.Uint64(b[8:])), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

func beginAnew() error {
	return loci.Errorf(loci.Conflict,
		"what has changed since then is not known any more, or what you may see has changed; read everything again, and "+
			"go on from there")
}

// ruleVersion must increase when a change of the visibility rule shows more to someone. Rows they
// could not see before were missing from their feed, so they have to start over.
const ruleVersion = 2

// viewerHash returns a hash over everything that decides what v may see.
func viewerHash(v loci.Viewer) []byte {
	h := sha256.New()
	h.Write([]byte{ruleVersion})
	for _, s := range []string{string(v.OrgID), string(v.Vendor)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	for _, id := range [][16]byte{v.UserID, v.TeamID, v.WorkspaceID, v.AgentID} {
		h.Write(id[:])
	}
	if v.OnlyProjects {
		h.Write([]byte{1})
	}
	ids := slices.SortedFunc(slices.Values(ProjectIDs(v)), func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, id := range slices.Compact(ids) {
		h.Write(id[:])
	}
	return h.Sum(nil)[:8]
}
