package vectors

import "context"

// Upkeep does what Run does each time it looks.
func (x *Index) Upkeep(ctx context.Context) {
	x.useAll(ctx)
	x.look(ctx)
}
