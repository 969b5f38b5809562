package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// newServer starts the real API over a real store.
func newServer(t *testing.T) (address string) {
	t.Helper()
	address, _ = start(t)
	return address
}

// start is newServer, and its store.
func start(t *testing.T, change ...func(*rest.Options)) (address string, keeps store.Store) {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	au, err := auth.New(auth.Options{Store: st, OwnerKey: "owner",
		AgentKeys: map[loci.Vendor]loci.Secret{"claude": "claude-key"}})
	if err != nil {
		t.Fatal(err)
	}
	events := embedded.Open(embedded.Options{Dir: filepath.Join(dir, "events")})
	t.Cleanup(func() { events.Close() })
	a := app.New(app.Options{Store: st, Deletion: loci.DeleteWithKey,
		Events:     event.Options{Logs: eventlogtest.One{Log: events}},
		Deployment: deployment.Options{Backups: &maintain.Backups{Dir: dir}, Copy: st.Backup}})
	if _, _, err := a.Identity.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	o := rest.Options{App: a, Auth: au, Version: "test"}
	for _, f := range change {
		f(&o)
	}
	srv := httptest.NewServer(front.New(front.Options{REST: rest.New(o), Auth: au}))
	t.Cleanup(srv.Close)
	return srv.URL, st
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestLifeOfAMemory(t *testing.T) {
	ctx := t.Context()
	c := client.New(newServer(t)+"/", "owner")
	expires := time.Date(2999, 1, 2, 3, 4, 5, 6000, time.UTC)
	m := must(c.Create(ctx, client.NewMemory{Title: "Deploys", Content: "On Tuesdays.\n日本語 <&>", Tags: []string{"ops"},
		AllowedVendors: []loci.Vendor{"cursor"}, Attributes: client.Attributes{Summary: new("when"), ExpiresAt: expires}}))(t)
	if m.Version != 1 || m.Origin != "api" || m.Content != "On Tuesdays.\n日本語 <&>" || !m.ExpiresAt.Equal(expires) {
		t.Errorf("Create: got %+v", m)
	}
	if got := must(c.Get(ctx, m.ID))(t); !cmp.Equal(got, &m.Memory) {
		t.Errorf("Get differs from what Create answered: %s", cmp.Diff(&m.Memory, got))
	}

	edited := must(c.Edit(ctx, m.ID, 1, client.Edit{Content: client.Set("On Thursdays."), Summary: client.Clear[string](),
		Tags: client.Clear[[]string](), ExpiresAt: client.Clear[time.Time]()}))(t)
	if edited.Version != 2 || edited.Content != "On Thursdays." || edited.Title != "Deploys" || edited.Summary != "" ||
		len(edited.Tags) != 0 || !edited.ExpiresAt.IsZero() || !cmp.Equal(edited.AllowedVendors, []loci.Vendor{"cursor"}) {
		t.Errorf("Edit: got %+v", edited)
	}
	_, err := c.Replace(ctx, m.ID, 1, client.Replacement{Title: "x", Content: "y", Tags: []string{},
		AllowedVendors: []loci.Vendor{"*"}})
	if client.CodeOf(err) != loci.Precondition {
		t.Errorf("Replace at an old version: got %v, want code %s", err, loci.Precondition)
	}
	replaced := must(c.Replace(ctx, m.ID, 2, client.Replacement{Title: "Releases", Content: "y", Tags: []string{"a"},
		AllowedVendors: []loci.Vendor{"*"}}))(t)
	if replaced.Title != "Releases" || replaced.Version != 3 {
		t.Errorf("Replace: got %+v", replaced)
	}
	page := must(c.Versions(ctx, m.ID, 1, ""))(t)
	older := must(c.Versions(ctx, m.ID, 1, page.NextCursor))(t)
	if page.CurrentVersion != 3 || !page.HasMore || page.Versions[0].Content != "On Thursdays." ||
		older.HasMore || older.Versions[0].Summary != "when" || older.Versions[0].ReplacedAt.IsZero() {
		t.Errorf("Versions: got %+v, then %+v", page, older)
	}

	if got := must(c.Trash(ctx, m.ID, 3))(t); got.DeletedAt.IsZero() {
		t.Errorf("Trash answered a memory without deleted_at: %+v", got)
	}
	trash := must(c.List(ctx, client.ListRequest{Filter: client.Filter{By: client.ByTrashed}, Total: true}))(t)
	if len(trash.Memories) != 1 || trash.Total == nil || *trash.Total != 1 {
		t.Errorf("the trash: got %+v, want one memory", trash)
	}
	if got := must(c.Restore(ctx, m.ID, 0))(t); !got.DeletedAt.IsZero() || got.Version != 5 {
		t.Errorf("Restore: got %+v", got)
	}
}

func TestAgentCalls(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	person, agent := client.New(url, "owner"), client.New(url, "claude-key")
	must(person.Create(ctx,
		client.NewMemory{Title: "Hidden", Content: "for cursor", AllowedVendors: []loci.Vendor{"cursor"}}))(t)
	m := must(agent.AgentCreate(ctx, client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays.",
		Tags: []string{"ops"}}))(t)

	if got := must(agent.Latest(ctx, "ops", "claude"))(t); got.ID != m.ID {
		t.Errorf("Latest: got %s, want %s", got.ID, m.ID)
	}
	if got := must(agent.AgentGet(ctx, m.ID))(t); !cmp.Equal(got, &m.Memory) {
		t.Errorf("AgentGet: %s", cmp.Diff(&m.Memory, got))
	}
	byTag := must(agent.ByTag(ctx, client.ByTagRequest{Tags: []string{"ops"}}))(t)
	browse := must(agent.Browse(ctx, client.BrowseRequest{}))(t)
	found := must(agent.Search(ctx, client.SearchRequest{Query: "deploying"}))(t)
	newest := must(agent.Newest(ctx, client.NewestRequest{}))(t)
	if len(byTag.Memories) != 1 || *byTag.Total != 1 || len(browse.Memories) != 1 || len(found.Memories) != 1 ||
		newest.Count != 1 {
		t.Errorf("got by tag %d, browse %d, search %d, newest %d; want one each", len(byTag.Memories), len(browse.Memories),
			len(found.Memories), newest.Count)
	}
	if found.Hits[0].ID != m.ID || found.Hits[0].Snippet != "We **deploy** on Tuesdays." {
		t.Errorf("Search: got hit %+v", found.Hits[0])
	}
	answer := must(agent.Query(ctx, client.QueryRequest{Query: "When do we deploy?"}))(t)
	if answer.UsedCount != 1 || answer.ModelConfig != nil || *answer.VendorFilter != "claude" ||
		answer.Receipt.Used[0].Reason != "match" {
		t.Errorf("Query: got %+v", answer)
	}
	if b := must(agent.Briefing(ctx))(t); b.Total != 1 || b.Tags[0].Name != "ops" {
		t.Errorf("Briefing: got %+v", b)
	}
	if text := must(agent.BriefingMarkdown(ctx))(t); !strings.Contains(text, "\n# Memory briefing\n") {
		t.Errorf("BriefingMarkdown: got %q", text)
	}
	if id := must(agent.WhoAmI(ctx))(t); id.Role != "agent" || *id.Vendor != "claude" {
		t.Errorf("WhoAmI: got %+v", id)
	}
}

func TestErrors(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	person := client.New(url, "owner")
	tests := []struct {
		name string
		err  error
		want client.Error
	}{
		{"no key", second(client.New(url, "").WhoAmI(ctx)), client.Error{Status: 401, Code: loci.Unauthenticated}},
		{"not for agents", second(client.New(url, "claude-key").List(ctx, client.ListRequest{})),
			client.Error{Status: 403, Code: loci.Forbidden}},
		{"unknown id", second(person.Get(ctx, loci.NewMemoryID())), client.Error{Status: 404, Code: loci.NotFound}},
		{"bad field", second(person.Create(ctx, client.NewMemory{Title: "x"})),
			client.Error{Status: 400, Code: loci.Invalid, Field: "content"}},
		{"too large", second(person.Create(ctx, client.NewMemory{Title: "x", Content: strings.Repeat("x", 4<<20)})),
			client.Error{Status: 413, Code: loci.TooLarge}},
		{"empty vendors do not mean all", second(person.Create(ctx,
			client.NewMemory{Title: "x", Content: "y", AllowedVendors: []loci.Vendor{}})),
			client.Error{Status: 400, Code: loci.Invalid, Field: "allowed_vendors"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e *client.Error
			if !errors.As(tt.err, &e) {
				t.Fatalf("got %v, want a client.Error", tt.err)
			}
			if e.Status != tt.want.Status || e.Code != tt.want.Code || e.Field != tt.want.Field || e.Text == "" ||
				e.RequestID == "" {
				t.Errorf("got %+v, want %+v with a text and a request id", *e, tt.want)
			}
		})
	}
	if err := person.Ready(ctx); err != nil {
		t.Errorf("Ready: %v", err)
	}
	if h, err := person.Health(ctx); err != nil || h.Service != "loci" {
		t.Errorf("Health: got %+v, %v", h, err)
	}
}

func TestForeignServer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>",
			http.StatusBadGateway)
	}))
	defer srv.Close()
	var e *client.Error
	if _, err := client.New(srv.URL, "k").WhoAmI(t.Context()); !errors.As(err, &e) || e.Status != 502 ||
		e.Error() != "the server answered 502 Bad Gateway" {
		t.Errorf("got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
