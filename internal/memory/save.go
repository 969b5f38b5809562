package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is the input for a memory. A zero value means the default of Memory.SetDefaults or, if a
// save changes a memory, no change. AllowedVendors nil means everybody; empty is an error. The
// writer is not part of it: the principal is the writer.
type Draft struct {
	Title, Content string
	Summary        *string // new(""): none
	Key            string
	Category       string
	Source         string
	Type           loci.MemoryType
	Tags           []string // empty, but not nil: none
	AllowedVendors []loci.Vendor
	Importance     int
	Pinned         *bool
	Scope          loci.Scope
	ProjectID      loci.ProjectID
	AgentID        loci.AgentID   // left out, with scope agent: the session's agent
	SessionID      loci.SessionID // left out, in Create: the principal's session
	ExpiresAt      time.Time
	ValidFrom      time.Time
	ValidTo        time.Time

	// The following fields apply to Create only.

	// TTL is a lifetime that starts now, at most MaxTTL, instead of ExpiresAt.
	TTL time.Duration
	// Dedupe is what a save does if a memory with its key, or without a key one with its text, exists.
	Dedupe Dedupe
	// Supersedes and Corrects name memories that this one replaces, at most MaxSuperseded.
	Supersedes, Corrects []loci.MemoryID
	// Sources are where the memory comes from. See AddSources.
	Sources []loci.Source
	// Share shares the memory with the person's team in the same transaction. False changes nothing.
	Share bool
	// NotCompared leaves Saved.Similar out, which makes the save cheaper.
	NotCompared bool
}

// Dedupe is what a save does if a memory with its key, or without a key one with its text, exists.
type Dedupe string

// These are the ways to save.
const (
	DedupeUpdate Dedupe = "update" // change the memory of that key, keep the identical one; the default
	DedupeCreate Dedupe = "create" // make a new one all the same
)

// These are the limits of a save.
const (
	MaxTTL        = 100 * 365 * 24 * time.Hour
	MaxSuperseded = 50
)

// Create saves a memory and returns it as stored. Its origin is the principal's.
//
// If the draft has a key, and Dedupe is not create, Create updates the live memory with that key in the same scope,
// project, agent and workspace, if the principal sees it and its user and origin wrote it. A person may update their
// memory of any origin. Create keeps the old version, and fields that the draft leaves out. Otherwise it makes a new
// memory. Two saves with one key at the same time make one memory.
//
// Without a key, a save that says the same as a live memory stores nothing and returns that memory
// as Identical. See saving.identical.
//
// Create hides the writer's own superseded memories from recall in the same transaction. For
// memories of others it makes suggestions.
//
// With Share, it also carries out that action, with its errors: Conflict if the person has no team.
//
// Invalid if a limit is exceeded, or if supersedes[i] or corrects[i] is not a live memory that the principal sees (a
// ReplacedError tells if another memory replaced it); Conflict if a project is archived; Forbidden if an agent would
// let more vendors read a memory than before, if a memory would live shorter and the credential may not delete, or if
// the save needs to read and the credential may not. Then nothing is stored.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (*loci.Saved, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return nil, err
	}
	sv, err := s.newSaving(ctx, p, d, &loci.Memory{})
	if err != nil {
		return nil, err
	}
	if err := sv.may(ctx); err != nil {
		return nil, err
	}
	if err := s.projects.MustBeOpen(ctx, p, sv.m.ProjectID); err != nil {
		return nil, err
	}
	sv.lookBefore(ctx)
	err = s.openly(ctx, p, sv.m.ProjectID, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, Create, func(tx store.Tx, e *loci.AuditEntry) error { return sv.run(ctx, tx, e, open) })
	})
	if err != nil {
		sv.unshow()
		return nil, err
	}
	sv.tell(ctx)
	return &sv.saved, nil
}

// saving is one call of Create.
type saving struct {
	app    *Service
	p      loci.Principal
	d      Draft
	now    time.Time
	m      *loci.Memory // the memory as a new one
	places []place
	saved  loci.Saved
	shares bool // the save adds the memory to the pool of the team

	inSession bool // the draft names the session
	secrets   []string
	ofKey     []*loci.Memory // in its place with its key or one that is alike, at most one more than maxSameKey

	// What follows is for the comparison with other memories. A credential that may not read learns of none of them.
	compares        bool
	own             *compared          // m
	index           *indexing.Snapshot // as it was before the save; nil: not known
	others          []*loci.Memory     // those to compare with
	tags            []string           // that are alike
	looked, skipped bool               // others has been read; not everything could be compared
	behind          bool               // index lacks what somebody else has saved
	shown           bool               // index has been told of m
}

// newSaving checks everything that does not depend on what is stored. before is what checkDraft compares the memory
// with.
func (s *Service) newSaving(ctx context.Context, p loci.Principal, d Draft, before *loci.Memory) (*saving, error) {
	d.Key, d.Category, d.Tags = loci.Label(d.Key), loci.Label(d.Category), loci.Labels(d.Tags)
	sv := &saving{app: s, p: p, d: d, now: s.Time()}
	if err := sv.prepare(); err != nil {
		return nil, err
	}
	sv.m = &loci.Memory{ID: loci.NewMemoryID(), CreatedAt: sv.now, UpdatedAt: sv.now, State: madeBy(p, 1, loci.Created)}
	sv.m.OrgID, sv.m.UserID, sv.m.WorkspaceID, sv.m.Origin = p.OrgID, p.UserID, p.WorkspaceID, p.Origin
	sv.d.apply(sv.m)
	sv.m.SetDefaults()
	sv.m.Title = cmp.Or(sv.m.Title, sv.m.Key)
	if err := checkDraft(p, sv.m, before); err != nil {
		return nil, err
	}
	if err := s.checkEvents(ctx, p, d.Sources); err != nil {
		return nil, err
	}
	sv.secrets = SecretsIn(sv.m)
	sv.compares = !d.NotCompared && s.May(p, Read) == nil
	if sv.compares {
		sv.guarded(ctx, func() error { sv.own = read(sv.m).sketched(); return nil })
	}
	return sv, s.checkExpiry(sv.m)
}

// prepare checks the fields about the save itself and applies the session's fields.
func (s *saving) prepare() (err error) {
	d := &s.d
	switch d.Dedupe {
	case "", DedupeUpdate, DedupeCreate:
	default:
		return loci.FieldErrorf("dedupe", `must be "update" or "create"`)
	}
	switch {
	case d.Title == "" && d.Key == "":
		return loci.FieldErrorf("title",
			"is required; only a memory with a key may leave it out, and is called like the key then")
	case d.TTL == 0:
	case !d.ExpiresAt.IsZero():
		return loci.FieldErrorf("ttl", "cannot be combined with expires_at; send one of them")
	case d.TTL < time.Second || d.TTL > MaxTTL:
		return loci.FieldErrorf("ttl", "must be from 1 second to 100 years")
	default:
		d.ExpiresAt = s.now.Add(d.TTL)
	}
	if s.inSession = !d.SessionID.IsZero(); !s.inSession {
		d.SessionID = s.p.SessionID
	}
	if d.Scope == loci.ScopeAgent && d.AgentID.IsZero() {
		d.AgentID = s.p.AgentID
	}
	s.places, err = placesOf(d)
	return err
}

// dedupes reports whether the save may change an existing memory.
func (s *saving) dedupes() bool { return s.d.Key != "" && s.d.Dedupe != DedupeCreate }

// run saves. It may run several times.
func (s *saving) run(ctx context.Context, tx store.Tx, e *loci.AuditEntry, open func(loci.ProjectID) error) error {
	s.saved, s.shares, s.ofKey = loci.Saved{}, s.d.Share, nil
	m, err := s.put(ctx, tx)
	if err != nil {
		return err
	}
	s.saved.Memory = *m
	e.Target = m.ID.String()
	if err := s.recordShare(ctx, tx, m); err != nil {
		return err
	}
	if !s.saved.Created() {
		e.Action = string(Change)
	}
	if _, s.saved.Sources, err = s.app.putSources(ctx, tx, s.p, m, s.d.Sources); err != nil {
		return err
	}
	if s.saved.Unchanged { // a new version is in the feed by itself
		if err := tellSources(ctx, tx, s.p, m, s.saved.Sources); err != nil {
			return err
		}
	}
	if err := s.supersede(ctx, tx, m, open); err != nil {
		return err
	}
	s.saved.Secrets = gate.SecretsOf(s.saved.Sources...)
	if !m.SecretsKept {
		s.saved.Secrets = loci.Unique(append(s.saved.Secrets, s.secrets...))
	}
	s.saved.Hint = strings.TrimSpace(s.hint(m) + " " + loci.SecretHint(s.saved.Secrets))
	s.show(ctx, tx, m)
	if s.saved.Unchanged && len(s.saved.Sources)+len(s.saved.Superseded)+len(s.saved.Suggestions) == 0 {
		e.Action = ""
	}
	if !s.saved.Created() {
		gate.ChangedOnly(ctx)
	}
	return nil
}

func (s *saving) put(ctx context.Context, tx store.Tx) (*loci.Memory, error) {
	old, err := s.there(ctx, tx)
	if err != nil {
		return nil, err
	}
	if s.d.Share {
		if err := MustBeIn(ctx, tx, s.p); err != nil {
			return nil, err
		}
	}
	if old == nil {
		if same, err := s.identical(ctx, tx); err != nil || same != nil {
			return same, err
		}
		if err := checkValidity(s.m); err != nil {
			return nil, err
		}
		if s.d.AllowedVendors == nil { // without what an attempt before found
			s.m.AllowedVendors, err = s.restricted(ctx, tx, []loci.Vendor{loci.AnyVendor}, s.m.ID)
			if err != nil {
				return nil, err
			}
		}
		if err := tx.Memories().Insert(ctx, s.m); err != nil || len(s.secrets) == 0 {
			return s.m, err
		}
		return s.m, Notice(ctx, tx, s.m)
	}
	s.shares = s.d.Share && old.TeamID != s.p.TeamID
	vendors, err := s.restricted(ctx, tx, old.AllowedVendors, old.ID)
	if err != nil {
		return nil, err
	}
	m, err := s.app.put(ctx, tx, s.p, old, edit{what: loci.Updated, fn: func(m *loci.Memory) error {
		m.AllowedVendors = slices.Clone(vendors)
		if err := s.app.updated(s.p, m, s.d.onto); err != nil || !s.d.Share {
			return err
		}
		return shareWith(m, s.p.TeamID)
	}})
	switch {
	case err != nil:
		return nil, err
	case m == old:
		s.saved.Unchanged = true
	default:
		s.saved.ReplacedVersion = old.Version
		s.leavesGap(old, m)
		if m.Title != old.Title && m.Content != old.Content {
			s.saved.ReplacedTitle = old.Title
		}
		if old.Editor != s.p.Origin {
			s.saved.ReplacedEditor = old.Editor
		}
	}
	return m, err
}

// hint tells how to share a memory with those who read what it replaces. It also tells how to share it with its
// project, if the save names the project but no scope: the scope is global then, so only the owner sees it.
func (s *saving) hint(m *loci.Memory) string {
	if text := loci.ShareHint(m.ID, s.saved.NoLongerShared...); text != "" {
		return text
	}
	if s.d.Scope != "" || m.ProjectID.IsZero() || s.saved.Unchanged || m.SharedWith("the project") != "" {
		return ""
	}
	return fmt.Sprintf("Only its owner can read this memory, not the project. If the project should read it, save it "+
		"again with scope %q and supersedes [%q].", loci.ScopeProject, m.ID)
}

// leavesGap adds to the answer that old, which is true now, is found no more, and by is not yet.
func (s *saving) leavesGap(old, by *loci.Memory) {
	if old.ValidAt(s.now) && by.ValidFrom.After(s.now) {
		s.saved.NoValueUntil = by.ValidFrom
	}
}

// may checks what the save does besides saving, and prepares the memory for sharing.
func (s *saving) may(ctx context.Context) error {
	if err := s.mayRead(ctx); err != nil || !s.d.Share {
		return err
	}
	if err := s.app.Also(ctx, s.p, Share); err != nil {
		return err
	}
	if err := s.app.Pool(ctx, s.p, Share); err != nil {
		return err
	}
	return shareWith(s.m, s.p.TeamID)
}

// recordShare adds the second entry to the audit trail.
func (s *saving) recordShare(ctx context.Context, tx store.Tx, m *loci.Memory) error {
	if !s.shares {
		return nil
	}
	e := s.app.Entry(s.p, Share)
	e.Target = m.ID.String()
	return tx.Audit().Add(ctx, e)
}

// there returns the memory that the save changes, or nil.
func (s *saving) there(ctx context.Context, tx store.Tx) (*loci.Memory, error) {
	if s.m.Key == "" || !s.dedupes() && !s.compares {
		return nil, nil
	}
	q := store.KeyQuery{Place: placeOf(s.m), Key: s.m.Key, Alike: true}
	q.Origin = ""
	found, err := tx.Memories().OfKey(ctx, s.p.Viewer(), q, maxSameKey+1)
	if s.ofKey = found; err != nil || !s.dedupes() {
		return nil, err
	}
	q.From, q.Until = s.d.during(s.now)
	if s.p.Vendor != "" {
		q.Origin = s.m.Origin
	}
	if found, err = s.keyed(ctx, tx, q, 1); err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// keyed returns what OfKey does for the key itself. Most often ofKey has all that there is.
func (s *saving) keyed(ctx context.Context, tx store.Tx, q store.KeyQuery, limit int) ([]*loci.Memory, error) {
	if q.Alike = false; len(s.ofKey) > maxSameKey {
		return tx.Memories().OfKey(ctx, s.p.Viewer(), q, limit)
	}
	return q.Among(s.ofKey), nil
}

// during returns when a memory must be true for a save by its key to change it: at some time at which the draft is
// true. A draft without an end is about now or later. Otherwise it would take over the end of a fact that is true no
// more, and no search would find it.
func (d *Draft) during(now time.Time) (from, until time.Time) {
	switch {
	case !d.ValidTo.IsZero() && (!d.ValidFrom.IsZero() || !d.ValidTo.After(now)):
		return d.ValidFrom, d.ValidTo
	case d.ValidFrom.After(now):
		return d.ValidFrom, d.ValidTo
	}
	return now, d.ValidTo
}

// maxSameKey is how many memories with the key of a save restrict who may read it.
const maxSameKey = 50

// restricted returns the vendors of all that may read what the save takes the place of: the memories that it supersedes
// or corrects, and others with its key. A save that names no vendors admits no others, because its text may have what
// these were kept from.
func (s *saving) restricted(ctx context.Context, tx store.Tx, vendors []loci.Vendor, self loci.MemoryID) ([]loci.Vendor,
	error) {
	if s.d.AllowedVendors != nil {
		return vendors, nil
	}
	var before []*loci.Memory
	if len(s.places) > 0 {
		found, err := tx.Memories().GetMany(ctx, s.p.Viewer(), s.replaced(), loci.LiveOnly)
		if err != nil {
			return nil, err
		}
		before = found
	}
	if s.dedupes() {
		q := store.KeyQuery{Place: placeOf(s.m), Key: s.m.Key, From: s.now}
		q.Origin = ""
		found, err := s.keyed(ctx, tx, q, maxSameKey)
		if err != nil {
			return nil, err
		}
		before = append(before, found...)
	}
	for _, m := range before {
		if m.ID != self {
			vendors = slices.Clone(loci.Narrowed(vendors, m.AllowedVendors))
		}
	}
	if len(vendors) == 0 {
		return nil, loci.FieldErrorf("allowed_vendors",
			"no vendor may read all memories that this one takes the place of; say in allowed_vendors who may read it")
	}
	return vendors, nil
}

// apply changes the fields that the draft has.
func (d *Draft) apply(m *loci.Memory) {
	d.onto(m)
	moveTo(m, cmp.Or(d.Scope, m.Scope))
	m.ProjectID, m.AgentID = cmp.Or(d.ProjectID, m.ProjectID), cmp.Or(d.AgentID, m.AgentID)
	m.SessionID = cmp.Or(d.SessionID, m.SessionID)
}

// onto changes the memory with the draft's key. Scope, project and agent are the same already, or
// it would not have that key. The session remains the one in which it was first written.
func (d *Draft) onto(m *loci.Memory) {
	m.Title, m.Content, m.Key = cmp.Or(d.Title, m.Title), cmp.Or(d.Content, m.Content), cmp.Or(d.Key, m.Key)
	m.Category, m.Source = cmp.Or(d.Category, m.Category), cmp.Or(d.Source, m.Source)
	m.Type, m.Importance = cmp.Or(d.Type, m.Type), cmp.Or(d.Importance, m.Importance)
	gate.Set(&m.Summary, d.Summary)
	gate.Set(&m.Pinned, d.Pinned)
	if d.Tags != nil {
		m.Tags = slices.Clone(d.Tags)
	}
	if d.AllowedVendors != nil {
		m.AllowedVendors = slices.Clone(d.AllowedVendors)
	}
	m.ExpiresAt, m.ValidFrom = cmp.Or(d.ExpiresAt, m.ExpiresAt), cmp.Or(d.ValidFrom, m.ValidFrom)
	m.ValidTo = cmp.Or(d.ValidTo, m.ValidTo)
	cutTimes(m)
}

func cutTimes(m *loci.Memory) {
	m.ExpiresAt, m.ValidFrom, m.ValidTo = loci.CutTime(m.ExpiresAt), loci.CutTime(m.ValidFrom), loci.CutTime(m.ValidTo)
}
