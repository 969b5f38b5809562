package rest

func (s *server) registerChanges(_ func(route) route) {}
