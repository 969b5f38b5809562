package embed

// ReadWith lets the selector read folders with fn.
func (s *Selector) ReadWith(fn func(dir string) (FolderModel, error)) { s.read = fn }

// Accelerate lets models use the instructions of this processor, or not, and returns how it was.
func Accelerate(on bool) (before bool) {
	before, accelerated = accelerated, on
	return before
}
