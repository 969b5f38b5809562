package rest

func (s *server) registerSuggestions(_ func(route) route) {}
