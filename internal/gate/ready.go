package gate

import "context"

// Ready returns nil if the store can read and write. It needs no credential, because it reveals
// nothing about anyone's rows.
func (g *Gate) Ready(ctx context.Context) error { return g.Store.Ready(ctx) }
