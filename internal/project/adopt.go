package project

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// Adopt returns the project that stands here for x, a project of an export: one of the person's with the id of x or
// the id that follows from it, or the one of that name if the person is alone in it. If there is none, Adopt makes
// one for the person alone, and keeps the id and the name of x if they are free. With dry, it only returns what it
// would make.
func (s *Service) Adopt(ctx context.Context, p loci.Principal, x loci.Project, dry bool) (
	here loci.Project, made bool, err error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return here, false, err
	}
	ids, err := s.Store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, loci.WorkspaceID{})
	if err != nil {
		return here, false, err
	}
	v := loci.Viewer{OrgID: p.OrgID, UserID: p.UserID, ProjectIDs: ids}
	other := loci.ProjectIDOf(p.OrgID, p.UserID, x.ID)
	for _, id := range []loci.ProjectID{x.ID, other} {
		if slices.Contains(ids, id) {
			here, err = s.Store.Projects().Get(ctx, v, id)
			return here, false, err
		}
	}
	here, err = s.anyNamed(ctx, p, x.Name)
	if err == nil && here.IsOnly(p.UserID) {
		return here, false, nil
	}
	if err == nil {
		x.Name = loci.FreeName(x.Name, func(name string) bool {
			_, failed := s.anyNamed(ctx, p, name)
			return failed == nil
		})
	} else if loci.CodeOf(err) != loci.NotFound {
		return here, false, err
	}
	x.OrgID, x.WorkspaceID = p.OrgID, p.WorkspaceID
	if dry {
		return x, true, x.Validate()
	}
	here, err = s.create(ctx, p, x)
	if loci.CodeOf(err) == loci.Conflict { // the id belongs to another org
		x.ID = other
		here, err = s.create(ctx, p, x)
	}
	if err == nil && x.Status == loci.ProjectArchived {
		err = s.Store.Projects().Archive(ctx, p.OrgID, here.ID)
	}
	return here, err == nil, err
}
