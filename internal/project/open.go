package project

import (
	"context"

	"github.com/loci-memory/loci"
)

// MustBeOpen rejects a new memory in an archived project, which is read-only, and in one that the caller does not
// belong to. The zero id means no project.
func (s *Service) MustBeOpen(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	err := s.mustNotBeArchived(ctx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		return ErrNotIn()
	}
	return err
}

// MustNotBeArchived rejects changes to the memories of an archived project. It lets the caller change memories of a
// project that is deleted, or that they have left: these are still theirs, and nobody could narrow or replace them
// otherwise. The zero id means no project.
func (s *Service) MustNotBeArchived(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	err := s.mustNotBeArchived(ctx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	return err
}

func (s *Service) mustNotBeArchived(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if id.IsZero() {
		return nil
	}
	in, err := s.Store.Projects().Get(ctx, p.Viewer(), id)
	if err == nil && in.Status == loci.ProjectArchived {
		err = errArchived(in)
	}
	return err
}

func errArchived(p loci.Project) error {
	return loci.Errorf(loci.Conflict, "project %s is archived; restore it first", loci.OneLine(p.Name))
}

// ErrNotIn returns the error for a project that the caller does not belong to, whether or not it
// exists.
func ErrNotIn() error {
	return loci.FieldErrorf("project_id", "must be a project that you belong to")
}
