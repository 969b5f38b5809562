package gate

import "context"

// Ready returns nil if the store can read and write. It asks for no credential:
// it says nothing about anybody's rows.
func (g *Gate) Ready(ctx context.Context) error { return g.Store.Ready(ctx) }
