package rest

func (s *server) registerNodes(_ func(route) route) {}
