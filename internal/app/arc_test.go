package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
	"github.com/loci-memory/loci/internal/eventlog/route"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/seal"
)

func masterKey(t testing.TB) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.Generate())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestArcKeysAreSealed(t *testing.T) {
	old, next := masterKey(t), masterKey(t)
	w := newWorld(t, func(o *app.Options) { o.Master = seal.Ring{old} })
	ctx := t.Context()
	b := loci.ArcBinding{URL: "http://arc:8000", Database: "acme", Key: "abcdefgh-12345-stuvwxyz"}
	v, err := w.Org.AddArc(ctx, w.local, b)
	if err != nil || v.Key != "abcd********wxyz" || v.Measurement != "events" || v.MasterID != old.ID() {
		t.Fatalf("AddArc: %+v, %v", v, err)
	}
	_, err = w.Org.AddArc(ctx, w.local, b)
	wantCode(t, err, loci.Conflict)
	open := func(master seal.Ring, want loci.Secret) {
		t.Helper()
		row, err := w.st.ArcBindings().Get(ctx, w.local.OrgID)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(row.Key.Sealed), "stuvwxyz") {
			t.Error("the key is legible in the store")
		}
		got, err := org.Unseal(master, row)
		if want == "" {
			if loci.CodeOf(err) != loci.Unavailable || !strings.Contains(err.Error(), "org "+string(w.local.OrgID)) {
				t.Errorf("got %v, want an error that names the org", err)
			}
		} else if err != nil || got.Key != want {
			t.Errorf("got %q, %v", got.Key.Reveal(), err)
		}
	}
	open(seal.Ring{old}, b.Key)
	open(seal.Ring{next}, "")
	_, err = w.Org.UpdateArc(ctx, w.local, org.ArcChange{Key: new(loci.Secret("short")), Database: new("b")})
	if err != nil {
		t.Fatal(err)
	}
	v, err = w.Org.Arc(ctx, w.local)
	if err != nil || v.Key != "********" || v.Database != "b" || v.URL != b.URL {
		t.Errorf("Arc: %+v, %v", v, err)
	}
	if n, err := w.Org.Reseal(ctx, w.local, next); n != 1 || err != nil {
		t.Fatalf("Reseal: %d, %v", n, err)
	}
	open(seal.Ring{next}, "short")
	open(seal.Ring{old}, "")
	wantCode(t, w.Org.RemoveArc(ctx, w.local, func(loci.Org) bool { return true }), loci.Conflict)
	if err := w.Org.RemoveArc(ctx, w.local, func(loci.Org) bool { return false }); err != nil {
		t.Error(err)
	}
	_, err = w.Org.Arc(ctx, w.local)
	wantCode(t, err, loci.NotFound)
}

func TestArcNeedsAMasterKey(t *testing.T) {
	w := newWorld(t)
	_, err := w.Org.AddArc(t.Context(), w.local, loci.ArcBinding{URL: "http://arc", Database: "a", Key: "k"})
	wantCode(t, err, loci.Unavailable)
	if _, err := w.st.ArcBindings().Get(t.Context(), w.local.OrgID); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("something was stored: %v", err)
	}
}

// Only the operator moves the events of an org to another log.
func TestWhoSetsTheLog(t *testing.T) {
	w := newWorld(t)
	in := loci.EventsInArc
	owner := w.local
	owner.Kind = loci.KindUser
	_, err := w.Org.Set(t.Context(), owner, org.Settings{Events: &in})
	wantCode(t, err, loci.Forbidden)
	if o, err := w.Org.Set(t.Context(), w.local, org.Settings{Events: &in}); err != nil || o.Events != in {
		t.Errorf("the operator: %+v, %v", o, err)
	}
}

// The events of an org are in the log that it is set to, with the next call.
func TestEventsGoToArc(t *testing.T) {
	key := masterKey(t)
	fake := arctest.New("arc-key")
	t.Cleanup(fake.Close)
	var logs *route.Logs
	w := newWorld(t, func(o *app.Options) {
		local, _ := o.Events.DeadLetters.(eventlog.Local)
		logs = route.New(route.Options{Store: o.Store, Local: local, Default: loci.EventsEmbedded, Master: seal.Ring{key},
			HTTP: &http.Client{Transport: fake}})
		o.Events.Logs, o.Master, o.DropEvents = logs, seal.Ring{key}, logs.Drop
	})
	t.Cleanup(func() { _ = logs.Close() })
	ctx := t.Context()
	log := func(content string) error {
		return second(w.Event.Record(ctx, w.claude, event.Draft{Content: content}))
	}
	find := func(what, want string) {
		t.Helper()
		page, err := w.Event.Search(ctx, w.owner, event.SearchRequest{})
		if err != nil || contentsOf(page.Items) != want {
			t.Errorf("%s: found %q, %v, want %q", what, contentsOf(page.Items), err, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(log("embedded"))
	must(second(w.Org.Set(ctx, w.local, org.Settings{Events: new(loci.EventsInArc)})))
	for _, err := range []error{log("refused"), second(w.Event.Search(ctx, w.owner, event.SearchRequest{}))} {
		wantCode(t, err, loci.Unavailable)
		if err != nil && !strings.Contains(err.Error(), "loci org add-arc "+string(w.local.OrgID)) {
			t.Errorf("got %v, want an error that names add-arc", err)
		}
	}
	must(second(w.Org.AddArc(ctx, w.local, loci.ArcBinding{URL: "http://arc:1", Database: "acme", Key: "arc-key"})))
	must(log("queued"))
	find("in Arc", "queued embedded")
	fake.SetFault(func(*http.Request, []byte) arctest.Fault { return arctest.Down })
	must(log("later"))
	must(second(w.Org.Set(ctx, w.local, org.Settings{Events: new(loci.EventsEmbedded)})))
	find("embedded again", "later queued embedded")
}
