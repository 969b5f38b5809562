package sqlite

import "context"

// UnsettledProjects returns the projects whose change is not complete, such as "archiving
// 6f1d2c1e-…": a process is working on it, or it could not be finished. The next start, or the
// next call about the project, tries again.
func (s *Store) UnsettledProjects(ctx context.Context) ([]string, error) {
	list, err := s.registry.UnsettledProjects(ctx)
	if err != nil {
		return nil, translate(err)
	}
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Intent + " " + p.ID.String()
	}
	return names, nil
}
