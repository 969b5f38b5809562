package rest

func (s *server) registerAssets(_ func(route) route) {}
