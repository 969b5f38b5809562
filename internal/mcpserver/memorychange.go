package mcpserver

import (
	"cmp"
	"context"
	"reflect"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

type memoryEdit struct {
	id loci.MemoryID
	memory.Patch
}

func updateFields(c *call, in *memoryEdit) []field {
	return []field{
		memoryID(c, "id", &in.id),
		edited("title", &in.Title, word),
		edited("content", &in.Content, word).or("value"),
		edited("tags", &in.Tags, func(_ string, v *[]string) field { return tags(v, 0) }),
		edited("allowed_vendors", &in.AllowedVendors, vendors),
		edited("summary", &in.Summary, word).hide(),
		edited("importance", &in.Importance, func(name string, v *int) field {
			return whole(name, v, loci.MinImportance, loci.MaxImportance, 0)
		}).hide(),
		edited("pinned", &in.Pinned, flag).hide(),
		edited("category", &in.Category, word).hide(),
		edited("expires_at", &in.ExpiresAt, moment).or("expiresAt").hide(),
		edited("valid_from", &in.ValidFrom, moment).hide(),
		edited("valid_to", &in.ValidTo, moment).hide(),
		edited("key", &in.Key, word).hide(),
		edited("memory_type", &in.Type, func(name string, v *loci.MemoryType) field {
			return oneOf(name, v, loci.Semantic, loci.Episodic, loci.Procedural)
		}).hide(),
		inSession(c).hide(),
	}
}

// edited is a field that changes something if it is sent.
func edited[T any](name string, into *loci.Edited[T], of func(name string, into *T) field) field {
	v := new(T)
	return of(name, v).then(func() { *into = loci.Set(*v) })
}

// changed is the result of a change, without the memory.
type changed struct {
	ID      loci.MemoryID `json:"id"`
	Version int           `json:"version"`
	Result  string        `json:"result"`
	// what stays replaced by a trashed memory
	StillSuperseded []loci.StillSuperseded `json:"still_superseded,omitempty"`
	Secrets         []string               `json:"secrets,omitempty"`
	Tell            string                 `json:"tell,omitempty"` // what the model should tell the person
}

func (s *Server) updateMemory(ctx context.Context, c *call, in *memoryEdit) (any, error) {
	m, err := s.app.Memory.Patch(ctx, c.principal, in.id, 0, in.Patch)
	if err != nil {
		return nil, err
	}
	if reflect.ValueOf(in.Patch).IsZero() {
		return nil, loci.Errorf(loci.Invalid, "nothing to change: send title, content, tags or another field with the id")
	}
	out := changed{ID: m.ID, Version: m.Version, Result: "updated", Secrets: memory.SecretsIn(m)}
	out.Tell = cmp.Or(lockedOut(c.principal.Vendor, m), loci.SecretHint(out.Secrets))
	return out, nil
}

// lockedOut is what a model should tell the person if its vendor may not read the memory that it has written, or "".
func lockedOut(v loci.Vendor, m *loci.Memory) string {
	if v == "" || loci.Covers(m.AllowedVendors, []loci.Vendor{v}) {
		return ""
	}
	allow := string(v)
	for _, other := range m.AllowedVendors {
		allow += "," + string(other)
	}
	return "From now on you can neither read nor change this memory: allowed_vendors leaves out " + string(v) +
		". To let it read the memory again, the person runs: loci edit " + m.ID.String() + " --allow " + allow
}

func trashMemoryFields(c *call, in *loci.MemoryID) []field {
	return []field{memoryID(c, "id", in), inSession(c).hide()}
}

// trashMemory trashes a memory if the deletion rule, or its age, lets this credential. If only the person may, it
// trashes nothing and answers how the person does it, because a model would otherwise try again.
func (s *Server) trashMemory(ctx context.Context, c *call, in *loci.MemoryID) (any, error) {
	trashed, err := s.app.Memory.Trash(ctx, c.principal, *in, 0)
	if loci.CodeOf(err) == loci.Forbidden && s.app.Memory.May(c.principal, memory.Trash) == nil &&
		s.app.Memory.OnlyRecent(c.principal, memory.Trash) != nil {
		var m *loci.Memory
		if m, err = s.app.Memory.MayTrash(ctx, c.principal, *in); err == nil {
			where := "run: loci trash " + m.ID.String()
			if base := s.pages(); base != "" {
				where = "open " + base + "/app/memories/" + m.ID.String()
			}
			return changed{ID: m.ID, Version: m.Version, Result: "not_trashed",
				Tell: "You can trash only what you wrote within the last 24 hours and no one else changed. To trash this " +
					"one, the person can " + where}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	out := changed{ID: trashed.ID, Version: trashed.Version, Result: "trashed", StillSuperseded: trashed.StillSuperseded,
		Tell: trashed.Hint}
	if len(out.StillSuperseded) > 0 {
		out.Tell += ". What this memory had replaced stays replaced. To bring it back, the person runs: " +
			"loci revert <id> <revert_to>"
	}
	return out, nil
}
