package project

import (
	"context"

	"github.com/loci-memory/loci"
)

// MustBeOpen refuses what would change the memories of a project that is archived, which are only read. The zero
// project is none.
func (s *Service) MustBeOpen(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if id.IsZero() {
		return nil
	}
	in, err := s.Store.Projects().Get(ctx, p.Viewer(), id)
	if loci.CodeOf(err) == loci.NotFound {
		return ErrNotIn()
	}
	if err == nil && in.Status == loci.ProjectArchived {
		err = errArchived(in)
	}
	return err
}

func errArchived(p loci.Project) error {
	return loci.Errorf(loci.Conflict, "project %s is archived; restore it first", loci.OneLine(p.Name))
}

// ErrNotIn refuses a project that the caller does not belong to, whether or not it exists.
func ErrNotIn() error {
	return loci.FieldErrorf("project_id", "names no project that you belong to")
}
