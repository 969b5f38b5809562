package app

import (
	"context"

	"github.com/loci-memory/loci"
)

func (a *App) TeamMemories(ctx context.Context, p loci.Principal, r ListRequest) (*ListPage, error) {
	return nil, errSoon
}

func (a *App) ShareMemory(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	return nil, errSoon
}
