package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

var errEnough = errors.New("enough")

// breaking lets so much of each answer through and then breaks the connection.
type breaking struct {
	next  http.RoundTripper
	after []int // bytes of the answers, one after the other; the last one for all further ones
	calls int
}

func (b *breaking) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil && r.URL.Path == "/api/v1/changes" {
		left := b.after[min(b.calls, len(b.after)-1)]
		b.calls++
		res.Body = &limited{res.Body, left}
	}
	return res, err
}

type limited struct {
	body interface {
		Read([]byte) (int, error)
		Close() error
	}
	left int
}

func (l *limited) Close() error { return l.body.Close() }

func (l *limited) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, errors.New("the connection broke")
	}
	n, err := l.body.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

// TestFollowGoesOnWhereItBroke breaks the connection in the middle of events: each change is told once.
func TestFollowGoesOnWhereItBroke(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	writer := client.New(url, "owner")
	var at string
	must(struct{}{}, writer.Follow(ctx, client.FollowOptions{Once: true},
		func(e client.StreamEvent) error { at = e.Position; return nil }))(t)
	var want []string
	for i := range 20 {
		m := must(writer.Create(ctx, client.NewMemory{Title: "t", Content: fmt.Sprint("c", i)}))(t)
		want = append(want, m.ID.String())
	}
	transport := &breaking{next: http.DefaultTransport, after: []int{0, 50, 400, 700, 333, 1234, 90, 600, 1 << 20}}
	var waits []time.Duration
	var got []string
	o := client.FollowOptions{After: at, Wait: func(_ context.Context, d time.Duration) error {
		waits = append(waits,
			d)
		return nil
	}}
	follower := client.New(url, "owner", client.WithHTTP(&http.Client{Transport: transport}))
	err := follower.Follow(ctx, o, func(e client.StreamEvent) error {
		if e.Kind == client.StreamChange {
			got = append(got, e.Change.ID)
		}
		if len(got) == len(want) {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	if len(got) != len(want) || transport.calls < 5 {
		t.Fatalf("got %d changes over %d connections, want %d over several", len(got), transport.calls, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("change %d: got %s, want %s", i, got[i], want[i])
		}
	}
	if waits[0] != time.Second || waits[1] <= waits[0] {
		t.Errorf("waited %v, want longer after attempts that brought nothing", waits)
	}
}

// TestFollowEndsWhereThereIsNoGoingOn: a key that does not count, and a handler that fails.
func TestFollowEndsWhereThereIsNoGoingOn(t *testing.T) {
	url := newServer(t)
	never := client.FollowOptions{Wait: func(context.Context,
		time.Duration) error {
		t.Error("tried again")
		return errEnough
	}}
	err := client.New(url, "unknown").Follow(t.Context(), never, func(client.StreamEvent) error { return nil })
	if client.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("got %v", err)
	}
	err = client.New(url, "owner").Follow(t.Context(), never, func(client.StreamEvent) error { return errEnough })
	if !errors.Is(err, errEnough) {
		t.Errorf("got %v", err)
	}
	never.After = "nonsense"
	if err := client.New(url, "owner").Follow(t.Context(), never,
		func(client.StreamEvent) error { return nil }); client.CodeOf(err) != loci.Invalid {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = client.New(url, "owner").Follow(ctx, client.FollowOptions{},
		func(client.StreamEvent) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFollowWaitsAsLongAsItIsTold: a server that has no room says when to come again.
func TestFollowWaitsAsLongAsItIsTold(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "15")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(busy.Close)
	var waited time.Duration
	o := client.FollowOptions{Wait: func(_ context.Context, d time.Duration) error { waited = d; return errEnough }}
	if err := client.New(busy.URL, "k").Follow(t.Context(), o, nil); !errors.Is(err, errEnough) ||
		waited != 15*time.Second {
		t.Errorf("got %v after %v", err, waited)
	}
}

func TestNodeCalls(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	c, agent := client.New(url, "owner"), client.New(url, "claude-key")
	m := must(c.Create(ctx, client.NewMemory{Title: "Deploys", Content: "On Tuesdays."}))(t)
	n := must(c.CreateNode(ctx, client.NewNode{Name: "Onboarding", Tags: []string{"team"}}))(t)
	text := must(agent.AddNodeItem(ctx, n.ID, client.NewNodeItem{Kind: loci.ItemText, Text: "Ask for a key."}))(t)
	shown := must(c.AddNodeItem(ctx, n.ID,
		client.NewNodeItem{Kind: loci.ItemMemory, MemoryID: m.ID, ParentID: text.ID}))(t)
	if moved := must(c.MoveNodeItem(ctx, n.ID, shown.ID, client.NodeItemMove{ParentID: client.Clear[loci.NodeItemID](),
		Before: text.ID}))(t); !moved.ParentID.IsZero() || moved.Position != 0 {
		t.Errorf("got %+v", moved)
	}
	if list := must(agent.NodeItems(ctx, n.ID))(t); len(list.Items) != 2 || list.Items[0].ID != shown.ID {
		t.Errorf("got %+v", list)
	}
	if pack := must(agent.NodePack(ctx, n.ID, 0))(t); len(pack.Items) != 2 || pack.Items[0].Content != "On Tuesdays." ||
		pack.Node.ID != n.ID {
		t.Errorf("got %+v", pack)
	}
	if text := must(agent.NodePackMarkdown(ctx, n.ID, 5000))(t); len(text) < 100 {
		t.Errorf("got %q", text)
	}
	if got := must(c.EditNode(ctx, n.ID, client.NodeEdit{Name: client.Set("First week"),
		Tags: client.Clear[[]string]()}))(t); got.Name != "First week" || len(got.Tags) != 0 {
		t.Errorf("got %+v", got)
	}
	if err := c.RemoveNodeItem(ctx, n.ID, text.ID); err != nil {
		t.Error(err)
	}
	must(c.TrashNode(ctx, n.ID))(t)
	if list := must(c.Nodes(ctx, client.NodeFilter{Trashed: true, Scope: loci.ScopeGlobal}))(t); len(list.Nodes) != 1 {
		t.Errorf("got %+v", list)
	}
	must(c.RestoreNode(ctx, n.ID))(t)
	if err := c.EraseNode(ctx, n.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Node(ctx, n.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("got %v", err)
	}
}

// TestFollowAsksForKinds sends the kinds, and none by default.
func TestFollowAsksForKinds(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{nil, {"candidate", "session"}} {
		var got []string
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = r.URL.Query()["kinds"]
		}))
		t.Cleanup(web.Close)
		o := client.FollowOptions{Once: true}
		for _, kind := range want {
			o.Kinds = append(o.Kinds, loci.FeedKind(kind))
		}
		err := client.New(web.URL, "key").Follow(t.Context(), o, func(client.StreamEvent) error { return nil })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("asks for %q, %v; want %q", got, err, want)
		}
	}
}
