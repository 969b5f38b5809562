package rest

func (s *server) registerBulk(_ func(route) route) {}
