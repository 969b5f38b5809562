package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// What another process makes of a session counts for the very next event, and for the next search. That process has not
// told the log of it.
func TestSessionsThatChangeElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: d.dir, Now: d.clock})
	d.must(err)
	t.Cleanup(func() { d.must(st.Close()) })
	elsewhere := app.New(app.Options{Store: st, Now: d.clock, Deletion: loci.DeleteWithKey})
	session := d.open(d.mara, agent.SessionDraft{}).ID.String()
	draft := func(content string) event.Draft { return event.Draft{Session: session, Content: content} }
	search := event.SearchRequest{Filter: event.Filter{}}
	for _, name := range []string{"a", "b", "c"} {
		d.log(d.claude, draft(name+"1"))
		d.log(d.claude, draft(name+"2"))
		if d.contents(d.tom, search) == "" {
			t.Errorf("%s: tom sees no events of a session that reaches him", name)
		}
		d.must(second(elsewhere.Agent.UpdateSession(ctx, d.mara, session, agent.SessionPatch{Reach: new(loci.ReachPrivate)})))
		if got := d.contents(d.tom, search); got != "" {
			t.Errorf("%s: tom sees %s of a private session", name, got)
		}
		d.log(d.claude, draft(name+"3"))
		d.must(second(elsewhere.Agent.CloseSession(ctx, d.mara, session)))
		refused(t, name, second(d.Event.Record(ctx, d.claude, draft(name+"4"))), loci.Conflict, "is closed")
		d.must(second(elsewhere.Agent.ReopenSession(ctx, d.mara, session)))
		d.must(second(elsewhere.Agent.UpdateSession(ctx, d.mara, session, agent.SessionPatch{Reach: new(loci.ReachOrg)})))
	}
}
