package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

type scopes struct {
	project loci.ProjectID
	agent   loci.AgentID
	session loci.SessionID
}

// recalls measures how much scopes, lifetimes and times slow down a recall. It stores the same
// memories in two directories. In one, all are global and permanent. In the other, they have
// different scopes, lifetimes and times of validity, and a session asks for what is true at a given
// time. The session sees all of them, so that both recalls return the same.
func (b *bencher) recalls(ctx context.Context) error {
	plain, err := startServer(ctx, b.Binary, filepath.Join(b.Dir, "reads"))
	if err != nil {
		return err
	}
	err = plain.warm(ctx)
	if err == nil {
		err = b.serve(ctx, "reads", func(words *server) error { return b.compareModel(ctx, plain, words) },
			"LOCI_EMBED_MODEL=off")
	}
	if err != nil {
		return errors.Join(err, plain.stop())
	}
	scoped, in, err := b.startScoped(ctx)
	if err != nil {
		return errors.Join(err, plain.stop())
	}
	if err = scoped.warm(ctx); err == nil {
		err = b.compareRecalls(ctx, plain, scoped, in)
	}
	return errors.Join(err, plain.stop(), scoped.stop())
}

// compareModel measures how much longer the slowest recalls take with the built-in model than by words alone.
func (b *bencher) compareModel(ctx context.Context, plain, words *server) error {
	if err := words.warm(ctx); err != nil {
		return err
	}
	b.Progress("recall by words alone, and with the built-in model")
	without, with, _, err := b.takeTurns(ctx, words, plain, map[string]any{})
	b.add(fmt.Sprintf("recall, 4 words, %d memories, by words alone", b.Memories), without, ms(without.P95),
		"ms server time p95")
	b.add("the same with the built-in model", with, with.P95.Seconds()/without.P95.Seconds(), "× p95 by words",
		Bar{"must", 1.5, true})
	return err
}

// warm searches until the server has the index of all memories, and their vectors if it has a model.
func (s *server) warm(ctx context.Context) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	for partial := true; partial; {
		if _, err = c.call("POST", "/memories/recall", personKey, map[string]any{"query": "warm"}); err != nil {
			break
		}
		var page struct {
			StoppedBy string `json:"stopped_by"`
			Meaning   string
		}
		err = errors.Join(json.Unmarshal(c.body, &page), ctx.Err())
		partial = err == nil && (page.StoppedBy != "" || page.Meaning != "" && page.Meaning != "ready")
	}
	return errors.Join(err, c.close())
}

func (b *bencher) startScoped(ctx context.Context) (*server, scopes, error) {
	b.Progress(fmt.Sprintf("storing %d memories of all scopes", b.Memories))
	dir := filepath.Join(b.Dir, "scopes")
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		return nil, scopes{}, err
	}
	in, err := b.fillScopes(ctx, st)
	if err = errors.Join(err, st.Close()); err != nil {
		return nil, in, err
	}
	s, err := startServer(ctx, b.Binary, dir)
	return s, in, err
}

// fillScopes stores the memories of fill, each with a scope.
func (b *bencher) fillScopes(ctx context.Context, st store.Store) (in scopes, err error) {
	org, err := firstOrg(ctx, st)
	if err != nil {
		return in, err
	}
	in = scopes{loci.NewProjectID(), loci.NewAgentID(), loci.NewSessionID()}
	if _, err := st.Projects().Create(ctx, loci.Project{ID: in.project, OrgID: org.ID, Name: "bench"},
		org.OwnerID); err != nil {
		return in, err
	}
	now := loci.CutTime(time.Now())
	err = st.Update(ctx, org.ID, func(tx store.Tx) error {
		err := tx.Agents().Insert(ctx,
			loci.Agent{ID: in.agent, OrgID: org.ID, UserID: org.OwnerID, Vendor: "claude", Name: "bench", CreatedAt: now,
				UpdatedAt: now})
		if err != nil {
			return err
		}
		return tx.Sessions().Insert(ctx,
			loci.Session{ID: in.session, AgentID: in.agent, State: loci.SessionActive, CreatedAt: now, UpdatedAt: now,
				LastActiveAt: now, Revision: 1, EventAccess: loci.EventAccess{OrgID: org.ID, UserID: org.OwnerID,
					Reach: loci.ReachOrg, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}}})
	})
	if err != nil {
		return in, err
	}
	_, err = b.fillWith(ctx, st, func(i int, m *loci.Memory) { in.put(i, m) })
	return in, err
}

// put varies memories: a third belongs to a project and a sixth to an agent, half of them expire,
// and a quarter has a time of validity.
func (in scopes) put(i int, m *loci.Memory) {
	switch {
	case i%3 == 0:
		m.Scope, m.ProjectID = loci.ScopeProject, in.project
	case i%6 == 1:
		m.Scope, m.AgentID = loci.ScopeAgent, in.agent
	}
	someDay := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	if i%2 == 0 {
		m.ExpiresAt = someDay
	}
	if i%4 == 1 {
		m.ValidFrom, m.ValidTo = m.CreatedAt.Add(-time.Hour), someDay
	}
}

// compareRecalls asks both servers the same in turns, so that a slow machine affects both.
func (b *bencher) compareRecalls(ctx context.Context, plain, scoped *server, in scopes) error {
	at := time.Now().UTC().Format(time.RFC3339)
	for _, step := range []struct {
		name string
		ask  map[string]any
		bars []Bar
	}{
		{"recall of all scopes, with lifetimes", map[string]any{"session_id": in.session}, []Bar{{"must", 1.3, true}}},
		// The index has the rows as they are now, so a search at another time reads the texts.
		{"the same, as_of now", map[string]any{"session_id": in.session, "as_of": at}, nil},
		{"the same, known_at now", map[string]any{"session_id": in.session, "known_at": at}, nil},
	} {
		b.Progress(step.name)
		without, with, ratio, err := b.takeTurns(ctx, plain, scoped, step.ask)
		if err != nil {
			return err
		}
		b.add(fmt.Sprintf("recall, 4 words, %d memories", b.Memories), without, ms(without.P50), "ms server time p50")
		b.add(step.name, with, ratio, "× recall, the median of pairs", step.bars...)
	}
	b.Progress("recall of what is nowhere")
	nowhere, err := plain.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) {
		return c.call("POST", "/memories/recall", personKey, map[string]any{"query": "xqx"})
	})
	b.add("recall of what is nowhere: words, beginnings, parts", nowhere, ms(nowhere.P50), "ms server time p50")
	return err
}

// minPairs is the minimum number of times that both servers are asked. The cost of a recall depends
// on its words, and other work on the machine disturbs single measurements.
const minPairs = 100

// takeTurns returns the server's time for the same words without and with conditions, and the
// median of their ratios over all pairs.
func (b *bencher) takeTurns(ctx context.Context, plain, scoped *server, ask map[string]any) (
	without, with Sample, ratio float64, err error) {
	var conns [2]*conn
	for i, s := range []*server{plain, scoped} {
		if conns[i], err = s.dial(); err != nil {
			return
		}
		defer func() { _ = conns[i].close() }() // the answers were read
	}
	var times [2][]time.Duration
	var ratios []float64
	words, begin := newCorpus(2, loci.NewUserID()), time.Now()
	for round := 0; round < minPairs || time.Since(begin) < b.Step; round++ {
		bare := map[string]any{"query": words.text(4)}
		asked := maps.Clone(ask)
		maps.Copy(asked, bare)
		pair, err := recallPair(conns, [2]map[string]any{bare, asked}, round%2)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return without, with, 0, err
		}
		times[0], times[1] = append(times[0], pair[0]), append(times[1], pair[1])
		ratios = append(ratios, pair[1].Seconds()/pair[0].Seconds())
	}
	took := time.Since(begin)
	slices.Sort(ratios)
	return summarize(times[0], took, true), summarize(times[1], took, true), ratios[len(ratios)/2], nil
}

// recallPair recalls on both connections, one after the other. It fails if the results differ in number, because the
// questions were then not the same. Of more than a page, the totals may differ: they are lower bounds.
func recallPair(conns [2]*conn, bodies [2]map[string]any, first int) (took [2]time.Duration, err error) {
	var found [2]int
	for n := range 2 {
		i := (n + first) % 2
		if took[i], err = conns[i].call("POST", "/memories/recall", personKey, bodies[i]); err != nil {
			return took, err
		}
		if took[i] == 0 {
			return took, errors.New("recall: the server reported no time")
		}
		var page struct{ Memories []json.RawMessage }
		if err := json.Unmarshal(conns[i].body, &page); err != nil {
			return took, err
		}
		found[i] = len(page.Memories)
	}
	if found[0] != found[1] {
		err = fmt.Errorf("recall of %q finds %d memories without scopes, and %d with them", bodies[0]["query"], found[0],
			found[1])
	}
	return took, err
}
