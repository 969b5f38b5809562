// Package blob keeps the bytes of attachments by their SHA-256, for each org. It knows no rows: the engine says which
// bytes are named.
package blob

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"time"

	"github.com/loci-memory/loci"
)

// Store keeps bytes. It is safe for concurrent use, also by several processes. Place, Renew and Remove look at bytes
// and then act on them. So call them only inside a write transaction of the org: all processes together run one at a
// time.
type Store interface {
	// Receive stores the bytes of r durably, where no reader sees them. It fails with TooLarge beyond limit in bytes. The
	// caller discards the upload.
	Receive(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (Upload, error)
	// Place makes an upload readable, as of now. It may run twice. It replaces equal bytes: otherwise the duration of an
	// upload would reveal whether someone had uploaded them before. It fails with Unavailable if a sweep has taken it.
	Place(u Upload, now time.Time) error
	// Discard removes what is left of an upload, and if the org is gone, its place.
	Discard(u Upload, orgGone bool)
	// Renew makes bytes as new as of now. It fails with fs.ErrNotExist.
	Renew(org loci.OrgID, sum []byte, now time.Time) error
	// Open returns a reader of the bytes. The caller closes it. It fails with fs.ErrNotExist, and with ErrDamaged.
	Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error)
	// Copy writes the bytes to w. It fails with fs.ErrNotExist, and at the end with ErrDamaged.
	Copy(ctx context.Context, w io.Writer, org loci.OrgID, sum []byte) error
	// Each calls fn with all that is stored for an org.
	Each(org loci.OrgID, fn func(Item) error) error
	// Remove removes an item that was last placed or renewed before then, and reports whether it did.
	Remove(org loci.OrgID, i Item, before time.Time) (bool, error)
	// Drop removes everything of an org.
	Drop(org loci.OrgID) error
	// Orgs returns for whom there may be bytes.
	Orgs() ([]loci.OrgID, error)
	// Hold prevents sweeps of an org until release.
	Hold(ctx context.Context, org loci.OrgID) (release func() error, err error)
	// Sweep prevents Hold until release. ok is false if somebody holds or sweeps, or there is nothing to sweep.
	Sweep(org loci.OrgID) (release func() error, ok bool, err error)
}

// Upload is what Receive has stored.
type Upload struct {
	Sum  [32]byte
	Size int64
	org  loci.OrgID
	part string
}

// Item is something that a Store has.
type Item struct {
	Sum  []byte // nil: an upload that was not completed
	Size int64
	At   time.Time // when it was last placed or renewed
	Name string    // differs from that of other items; what it says is the Store's
}

// ErrDamaged means that bytes have changed.
var ErrDamaged = errors.New("the bytes do not match the name")

// Name returns where the bytes of an org are: in the directory of attachments of a data directory, and of backups.
func Name(org loci.OrgID, sum []byte) string {
	name := hex.EncodeToString(sum)
	return path.Join(string(org), name[:2], name)
}
