package rest

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/task"
)

// repeated fills out, a new answer of a route, with the row that the first request made or changed, as it is now and
// as p sees it, or with what Loci keeps of several. It reports false if there is neither, or p cannot read the row.
func (s *server) repeated(ctx context.Context, p loci.Principal, out any, known *gate.Repeated) bool {
	answer, target := reflect.ValueOf(out).Elem(), known.Target
	body := answer.FieldByName("Body")
	if !body.IsValid() || target == "" && known.Rows == nil {
		return false
	}
	version, err := 0, error(nil)
	switch into := body.Addr().Interface().(type) {
	case **loci.Memory:
		if *into, err = s.memoryNow(ctx, p, target); err == nil {
			version = (*into).Version
		}
	case **loci.Saved:
		m, failed := s.memoryNow(ctx, p, target)
		if err = failed; err == nil {
			*into, version = &loci.Saved{Memory: *m}, m.Version
		}
	case *loci.Session:
		*into, err = readIf(s, p, agent.SessionRead, func() (loci.Session, error) {
			return s.app.Agent.Session(ctx, p, target)
		})
	case *loci.Agent:
		*into, err = readIf(s, p, agent.Read, func() (loci.Agent, error) { return s.app.Agent.Get(ctx, p, target) })
	case *loci.Task:
		*into, err = readIf(s, p, task.Read, func() (loci.Task, error) { return s.app.Task.Get(ctx, p, target) })
		version = into.Version
	case *loci.Project:
		var id loci.ProjectID
		if err = id.UnmarshalText([]byte(target)); err == nil {
			*into, err = readIf(s, p, project.Read, func() (loci.Project, error) { return s.app.Project.Get(ctx, p, id) })
		}
	case *client.Logged, *client.Deleted, *client.Restored, *client.Changed:
		err = json.Unmarshal(known.Rows, into)
	case *client.BulkAnswer:
		err = json.Unmarshal(known.Rows, &into.Results)
		*into = bulkAnswer(into.Results)
	default:
		return false
	}
	if f := answer.FieldByName("Status"); f.IsValid() {
		f.SetInt(int64(known.Status))
	}
	if f := answer.FieldByName("ETag"); f.IsValid() && version > 0 {
		f.SetString(versionTag(version))
	}
	return err == nil
}

// memoryNow returns a memory unless it is deleted: a repetition brings back no text.
func (s *server) memoryNow(ctx context.Context, p loci.Principal, target string) (*loci.Memory, error) {
	id, err := loci.ParseMemoryID(target)
	if err != nil {
		return nil, err
	}
	m, err := readIf(s, p, memory.Read, func() (*loci.Memory, error) { return s.app.Memory.Get(ctx, p, id) })
	if err == nil && !m.DeletedAt.IsZero() {
		err = loci.NoSuchMemory()
	}
	return m, err
}

// readIf reads if p may: a repetition by a credential that only writes is no rejected read in the audit trail.
func readIf[T any](s *server, p loci.Principal, act gate.Action, read func() (T, error)) (none T, err error) {
	if err := s.app.May(p, act); err != nil {
		return none, err
	}
	return read()
}
