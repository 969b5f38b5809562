package embed

// ReadWith lets the selector read folders with fn.
func (s *Selector) ReadWith(fn func(dir string) (*Static, error)) { s.read = fn }
