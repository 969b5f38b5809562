package mcpserver

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// lookup finds what an argument names, once the caller's session is known.
type lookup func(ctx context.Context, s *Server, c *call, action gate.Action) error

// memoryID is the id of a memory, or its beginning.
func memoryID(c *call, name string, into *loci.MemoryID) field {
	return value(name, "a string", plain(), func(path, v string) error { return c.findMemory(path, v, into) }).must()
}

// memoryIDs is a list of ids of memories, or of their beginnings.
func memoryIDs(c *call, name string, into *[]loci.MemoryID, maximum int) field {
	return idList(name, into, maximum, c.findMemory)
}

// findMemory stores an id, or notes that it must be looked up.
func (c *call) findMemory(path, v string, into *loci.MemoryID) error {
	first, last, err := loci.ParseMemoryPrefix(v, loci.ShortID)
	if err != nil {
		return loci.FieldErrorf(path, "is not an id: %s", err)
	}
	if *into = first; first == last {
		return nil
	}
	c.lookups = append(c.lookups, func(ctx context.Context, s *Server, c *call, _ gate.Action) (err error) {
		*into, err = s.app.Memory.Resolve(ctx, c.principal, v)
		return err
	})
	return nil
}

// namedProject is a project by its name or its id.
func namedProject(c *call, into *loci.ProjectID) field {
	return value("project", "a string", plain(), func(_, v string) error {
		if readID("project", v, into) == nil {
			return nil
		}
		c.lookups = append(c.lookups, func(ctx context.Context, s *Server, c *call, action gate.Action) error {
			p, err := s.app.Project.Choose(ctx, c.principal, action, project.Choice{Name: v})
			*into = p.ID
			return err
		})
		return nil
	}).or("project_id")
}

// timeOf reads what loci.ParseTimeNear reads, in UTC. expires_at and until look ahead. Its error is the same at all
// times.
func timeOf(path, v string) (time.Time, error) {
	t, err := loci.ParseTimeNear(v, time.Now().UTC(), path == "expires_at" || path == "until")
	if err != nil {
		err = loci.FieldErrorf(path, "must be a date or a time like 2026-11-20T16:00:00Z (RFC 3339)")
	}
	return t, err
}
