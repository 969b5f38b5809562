package rest

func (s *server) registerRecall(_ func(route) route) {}
