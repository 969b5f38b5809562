package event

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// writing makes the events of one call. It looks up what they name, each once. Its maps are nil until they are needed,
// because most calls have one event that names nothing.
type writing struct {
	s        *Service
	p        loci.Principal
	now      time.Time
	sessions map[string]*loci.Session
	agents   map[string]loci.Agent // by what a draft or a session calls them
	parents  map[loci.EventID]int  // and the first event that names each
	projects map[loci.ProjectID]int
	active   map[touch]time.Time // when they were last active, as far as the store knows
}

// put sets an entry of a map that may be nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// prepare returns the events of drafts, or a draftError.
func (w *writing) prepare(ctx context.Context, log eventlog.Engine, drafts []Draft) (events []*loci.Event, err error) {
	fill := func(tx store.Tx) error {
		all := make([]loci.Event, len(drafts))
		events = make([]*loci.Event, len(drafts))
		for i := range drafts {
			events[i] = &all[i]
			err := w.event(ctx, tx, &drafts[i], &all[i])
			if loci.CodeOf(err) != "" {
				err = &draftError{i, err}
			}
			if err != nil { // without a code it is about a file, and gets one outside
				return err
			}
			w.note(i, &all[i])
		}
		return nil
	}
	if w.p.SessionID.IsZero() && !slices.ContainsFunc(drafts, names) {
		err = fill(nil)
	} else {
		err = w.s.Store.View(ctx, w.p.OrgID, fill)
	}
	if err != nil {
		return nil, err
	}
	keepOrder(events)
	for id, i := range w.projects {
		if err := w.s.projects.MustBeOpen(ctx, w.p, id); err != nil {
			return nil, &draftError{i, err}
		}
	}
	return events, w.checkParents(ctx, log)
}

// names reports whether the event of a draft can only be made with the store.
func names(d Draft) bool { return d.Session != "" || d.Agent != "" }

// keepOrder sorts the ids of successive events that have the same time, so that lists show them as they were sent.
func keepOrder(events []*loci.Event) {
	for first := 0; first < len(events); {
		last := first + 1
		for last < len(events) && events[last].Time.Equal(events[first].Time) {
			last++
		}
		if last-first > 1 {
			ids := loci.Mapped(events[first:last], func(e *loci.Event) loci.EventID { return e.ID })
			slices.SortFunc(ids, func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
			for i, id := range ids {
				events[first+i].ID = id
			}
		}
		first = last
	}
}

// note remembers what is checked for all events together.
func (w *writing) note(i int, e *loci.Event) {
	if _, noted := w.parents[e.ParentID]; !noted && !e.ParentID.IsZero() {
		put(&w.parents, e.ParentID, i)
	}
	if _, noted := w.projects[e.ProjectID]; !noted && !e.ProjectID.IsZero() {
		put(&w.projects, e.ProjectID, i)
	}
}

// checkParents refuses parents that the caller does not see.
func (w *writing) checkParents(ctx context.Context, log eventlog.Engine) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(w.parents)), loci.MaxIDs) {
		seen, err := log.Get(ctx, w.p.Viewer(), some)
		if err != nil {
			return err
		}
		for _, e := range seen {
			delete(w.parents, e.ID)
		}
	}
	if len(w.parents) == 0 {
		return nil
	}
	first := slices.Min(slices.Collect(maps.Values(w.parents)))
	return &draftError{first, loci.FieldErrorf("parent_id", "names no event that you can see")}
}

func (w *writing) event(ctx context.Context, tx store.Tx, d *Draft, e *loci.Event) error {
	*e = loci.Event{Time: loci.CutTime(d.Time), RecordedAt: w.now, Actor: d.Actor, Class: d.Class, Type: d.Type,
		Content: d.Content, Metadata: d.Metadata, Tags: d.Tags, Importance: d.Importance, ParentID: d.ParentID,
		DedupKey: d.DedupKey, EventAccess: loci.EventAccess{OrgID: w.p.OrgID, UserID: w.p.UserID,
			WorkspaceID: w.p.WorkspaceID, ProjectID: d.ProjectID, Reach: d.Reach, Origin: w.p.Origin,
			AllowedVendors: d.AllowedVendors}}
	session, err := w.session(ctx, tx, d)
	if err != nil {
		return err
	}
	if session == nil {
		err = w.alone(e)
	} else {
		err = within(session, d, e)
	}
	if err != nil {
		return err
	}
	a, err := w.agent(ctx, tx, d, session)
	if err != nil {
		return err
	}
	e.AgentID = a.ID
	e.SetDefaults(w.now)
	// The agent belongs to the org, so only work that everybody there sees counts as its activity.
	if !a.ID.IsZero() && e.Open() && (session == nil || session.Open()) {
		put(&w.active, touch{agent: a.ID}, a.LastActiveAt)
	}
	if err := cmp.Or(e.Validate(), loci.CheckNewNames("tags", e.Tags, nil),
		loci.CheckNewNames("allowed_vendors", e.AllowedVendors, nil)); err != nil {
		return err
	}
	e.ID = loci.NewEventID(e.Time)
	return nil
}

// alone completes the access of an event without a session.
func (w *writing) alone(e *loci.Event) error {
	if e.Reach == loci.ReachTeam {
		e.TeamID = w.p.TeamID
	}
	if w.p.OnlyProjects && e.ProjectID.IsZero() {
		return loci.FieldErrorf("project_id",
			"or session_id is required: this key is limited to projects and could not see the event otherwise")
	}
	if !e.ProjectID.IsZero() && !slices.Contains(w.p.ProjectIDs, e.ProjectID) {
		return project.ErrNotIn()
	}
	return nil
}

// within gives an event the access of its session. The vendors stay its own: the log limits them by those of the
// session, which may change.
func within(s *loci.Session, d *Draft, e *loci.Event) error {
	const ofSession = "is that of the session; leave it out, or change the session"
	if d.Reach != "" && d.Reach != s.Reach {
		return loci.FieldErrorf("reach", ofSession)
	}
	if !d.ProjectID.IsZero() && d.ProjectID != s.ProjectID {
		return loci.FieldErrorf("project_id", ofSession)
	}
	e.SessionID = s.ID
	e.WorkspaceID, e.ProjectID, e.Reach, e.TeamID = s.WorkspaceID, s.ProjectID, s.Reach, s.TeamID
	return nil
}

// session returns the session of an event, or nil.
func (w *writing) session(ctx context.Context, tx store.Tx, d *Draft) (*loci.Session, error) {
	text := d.Session
	if text == "" && !w.p.SessionID.IsZero() {
		text = w.p.SessionID.String()
	}
	if text == "" {
		return nil, nil
	}
	if known := w.sessions[text]; known != nil {
		return known, nil
	}
	session, err := store.FindSession(ctx, tx, w.p.Viewer(), text)
	if err != nil {
		return nil, store.NameError(err, "session_id", "names no session that you can see; create one first")
	}
	if session.State == loci.SessionClosed {
		return nil, loci.ClosedSession()
	}
	put(&w.sessions, text, &session)
	put(&w.active, touch{session: session.ID}, session.LastActiveAt)
	return &session, nil
}

// agent returns the agent of an event: the one that it names, or that of its session if the caller may act as it.
func (w *writing) agent(ctx context.Context, tx store.Tx, d *Draft, session *loci.Session) (a loci.Agent, err error) {
	if d.Agent != "" {
		return w.namedAgent(ctx, tx, d.Agent)
	}
	if session == nil || session.AgentID.IsZero() {
		return a, nil
	}
	a, known := w.agents[session.AgentID.String()]
	if !known {
		a, err = tx.Agents().Get(ctx, w.p.Viewer(), session.AgentID)
		if err != nil && loci.CodeOf(err) != loci.NotFound { // deleted, or the caller is limited to projects
			return a, err
		}
		put(&w.agents, session.AgentID.String(), a)
	}
	if w.p.Vendor != "" && a.Vendor != w.p.Vendor {
		return loci.Agent{}, nil
	}
	return a, nil
}

const noSuchAgent = "names no agent that you can see; register it first"

func (w *writing) namedAgent(ctx context.Context, tx store.Tx, name string) (a loci.Agent, err error) {
	a, known := w.agents[name]
	if !known {
		a, err = store.FindAgent(ctx, tx, w.p.Viewer(), name)
		if err != nil {
			return a, store.NameError(err, "agent_id", noSuchAgent)
		}
		put(&w.agents, name, a)
	}
	if a.ID.IsZero() { // the session's, which is deleted
		return a, loci.FieldErrorf("agent_id", noSuchAgent)
	}
	if w.p.Vendor != "" && a.Vendor != w.p.Vendor {
		return a, loci.FieldErrorf("agent_id", "is an agent of another vendor, %s; name one of your own", a.Vendor)
	}
	return a, nil
}

// touch is a session or an agent that was active.
type touch struct {
	session loci.SessionID
	agent   loci.AgentID
}

// touchGap is how exactly the last activity of a session or an agent is known.
const touchGap = time.Minute

// touch records that the sessions and agents of events are active, each at most once a minute. The events are stored,
// so a failure is only logged.
func (s *Service) touch(ctx context.Context, w *writing) {
	var list []touch
	for t, last := range w.active {
		touched, _ := s.touched.Get(t, always)
		if w.now.Sub(last) >= touchGap && w.now.Sub(touched) >= touchGap {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.Store.Update(ctx, w.p.OrgID, func(tx store.Tx) (err error) {
		for i := 0; i < len(list) && err == nil; i++ {
			if t := list[i]; t.agent.IsZero() {
				err = tx.Sessions().Touch(ctx, t.session, w.now)
			} else {
				err = tx.Agents().Touch(ctx, t.agent, w.now)
			}
		}
		return err
	})
	s.warn(ctx, "cannot record the use of a session or an agent", w.p.OrgID, err)
	for _, t := range list {
		s.touched.Put(t, always, w.now, 1)
	}
}

// announce lets the followers of changes know that the sessions of events have new ones. Only people get that: they see
// every event of a session that they see, which an assistant may not.
func (s *Service) announce(ctx context.Context, w *writing) {
	for _, session := range w.sessions {
		access := session.Access()
		access.AllowedVendors = nil
		s.Store.Hint(ctx, store.FeedHint{Org: w.p.OrgID, Kind: loci.FeedEvents, ID: session.ID, Change: loci.Updated,
			Access: []loci.Access{access}})
	}
}
