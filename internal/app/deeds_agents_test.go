package app_test

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

// ask makes a golden question of mara's.
func (c *company) ask() {
	_, err := c.Golden.Create(c.t.Context(), c.mara, golden.Draft{Question: "zebra",
		Expected: []loci.MemoryID{c.memory.ID}})
	c.must(err)
}

// golden is the golden question of mara's.
func (c *company) golden() loci.GoldenID {
	list, err := c.Golden.List(c.t.Context(), c.mara)
	c.must(err)
	return list[0].ID
}

func init() {
	deeds[agent.Create] = func(c *company, ctx context.Context) error {
		return second(c.Agent.Create(ctx, c.mara,
			agent.Draft{Name: "zebra", Vendor: "claude", Config: []byte(`{"okapi":1}`)}))
	}
	deeds[agent.Change] = func(c *company, ctx context.Context) error {
		return second(c.Agent.Update(ctx, c.mara, c.robot.String(), agent.Patch{Description: new("quagga")}))
	}
	deeds[agent.Delete] = func(c *company, ctx context.Context) error {
		return c.Agent.Delete(ctx, c.mara, c.robot.String())
	}
	deeds[agent.SessionCreate] = func(c *company, ctx context.Context) error {
		return second(c.Agent.CreateSession(ctx, c.mara, agent.SessionDraft{Agent: c.robot.String(), Title: "zebra"}))
	}
	deeds[agent.SessionChange] = func(c *company, ctx context.Context) error {
		return second(c.Agent.UpdateSession(ctx, c.mara, c.work.String(),
			agent.SessionPatch{Metadata: []byte(`{"okapi":1}`), Reach: new(loci.ReachPrivate)}))
	}
	deeds[agent.SessionClose] = func(c *company, ctx context.Context) error {
		return second(c.Agent.CloseSession(ctx, c.mara, c.work.String()))
	}
	deeds[agent.SessionReopen] = func(c *company, ctx context.Context) error {
		return second(c.Agent.ReopenSession(ctx, c.mara, c.closed.String()))
	}
	deeds[task.Create] = func(c *company, ctx context.Context) error {
		return second(c.Task.Create(ctx, c.mara, task.Draft{Project: "wombat", Title: "zebra", Notes: "quagga"}))
	}
	deeds[task.Change] = func(c *company, ctx context.Context) error {
		return second(c.Task.Update(ctx, c.mara, c.task.String(), 0, task.Patch{Title: new("quagga")}))
	}
	deeds[task.Delete] = func(c *company, ctx context.Context) error {
		return c.Task.Delete(ctx, c.mara, c.task.String(), 0)
	}
	deeds[golden.Change] = func(c *company, ctx context.Context) error {
		return second(c.Golden.Update(ctx, c.mara, c.golden(), golden.Patch{Question: new("quagga")}))
	}
	deeds[golden.Run] = func(c *company, ctx context.Context) error { return second(c.Golden.Run(ctx, c.mara)) }
	notes := review.Notes{Content: "We decided to keep the zebra away from the quagga.", SourceTitle: "okapi"}
	deeds[review.Reflect] = func(c *company, ctx context.Context) error {
		return second(c.Review.Reflect(ctx, c.mara, notes))
	}
	deeds[review.Persist] = func(c *company, ctx context.Context) error {
		stored := notes
		stored.Persist, stored.PersistSource = true, true
		return second(c.Review.Reflect(ctx, c.mara, stored))
	}
	deeds[review.Decide] = func(c *company, ctx context.Context) error {
		return second(c.Review.Reject(ctx, c.owner, c.candidate, review.Decision{Reason: "quagga"}))
	}
	deeds[review.Dream] = func(c *company, ctx context.Context) error {
		return second(c.Review.Dream(ctx, c.operator, review.DreamRequest{}))
	}
	deeds[review.Accept] = func(c *company, ctx context.Context) error {
		return second(c.Review.Accept(ctx, c.owner, c.candidate, review.Decision{Reason: "quagga"}))
	}
}
