package sqlite

import "github.com/loci-memory/loci/internal/store"

// To be replaced, one after the other, by files of their own.
type (
	agents struct {
		*tx
		store.Agents
	}
	sessions struct {
		*tx
		store.Sessions
	}
	suggestions struct {
		*tx
		store.Suggestions
	}
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
	feed struct {
		*tx
		store.Feed
	}
	idempotency struct {
		*tx
		store.Idempotency
	}
	blobs struct{ store.Blobs }
)

func (tx *tx) Agents() store.Agents           { return agents{tx: tx} }
func (tx *tx) Sessions() store.Sessions       { return sessions{tx: tx} }
func (tx *tx) Suggestions() store.Suggestions { return suggestions{tx: tx} }
func (tx *tx) Assets() store.Assets           { return assets{tx: tx} }
func (tx *tx) Sources() store.Sources         { return sources{tx: tx} }
func (tx *tx) MemoryNodes() store.MemoryNodes { return memoryNodes{tx: tx} }
func (tx *tx) Feed() store.Feed               { return feed{tx: tx} }
func (tx *tx) Idempotency() store.Idempotency { return idempotency{tx: tx} }

// Blobs keeps the bytes of attachments.
func (s *Store) Blobs() store.Blobs { return blobs{} }
