package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (n nodes) Insert(_ context.Context, v loci.Viewer, rows store.GraphRows) (added, present int, err error) {
	return 0, 0, errUnbuilt
}

func (g graph) Rows(_ context.Context, v loci.Viewer, q store.GraphQuery) (store.GraphRows, store.Position, error) {
	return store.GraphRows{}, "", errUnbuilt
}

func (g graph) Observations(_ context.Context, v loci.Viewer, id loci.EntityID, q store.GraphQuery) (store.ObservationPage, error) {
	return store.ObservationPage{}, errUnbuilt
}

func (g graph) Relations(_ context.Context, v loci.Viewer, id loci.EntityID, q store.GraphQuery) (store.RelationPage, error) {
	return store.RelationPage{}, errUnbuilt
}
