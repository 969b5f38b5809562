package rest

func (s *server) registerHistory(_ func(route) route) {}
