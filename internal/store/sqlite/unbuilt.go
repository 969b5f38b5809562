package sqlite

import "github.com/loci-memory/loci/internal/store"

// To be replaced, one after the other, by files of their own.
type (
	assets struct {
		*tx
		store.Assets
	}
	sources struct {
		*tx
		store.Sources
	}
	memoryNodes struct {
		*tx
		store.MemoryNodes
	}
	blobs struct{ store.Blobs }
)

func (tx *tx) Assets() store.Assets           { return assets{tx: tx} }
func (tx *tx) Sources() store.Sources         { return sources{tx: tx} }
func (tx *tx) MemoryNodes() store.MemoryNodes { return memoryNodes{tx: tx} }

// Blobs keeps the bytes of attachments.
func (s *Store) Blobs() store.Blobs { return blobs{} }
