package rest

func (s *server) registerAgents(_ func(route) route) {}
