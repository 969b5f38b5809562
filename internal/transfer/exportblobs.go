package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// blobPart is how many bytes of an attachment one line has. Neither side ever holds more of it in
// memory.
const blobPart = 768 << 10

// blobLine is a part of an attachment's bytes. The parts come in order.
type blobLine struct {
	SHA256 string `json:"sha256"` // of the whole
	Size   int64  `json:"size"`
	Offset int64  `json:"offset,omitempty"`
	Data   []byte `json:"data"`
}

// writeBlob writes the bytes of an attachment, unless the export already has them.
func (x *export) writeBlob(ctx context.Context, a *loci.Asset) (err error) {
	if !x.once(a.SHA256) {
		return nil
	}
	sum, err := hex.DecodeString(a.SHA256)
	if err != nil || len(sum) != 32 {
		return errBytesGone(a)
	}
	f, err := x.app.Store.Blobs().Open(ctx, x.viewer.OrgID, [32]byte(sum))
	if loci.CodeOf(err) == loci.NotFound {
		return errBytesGone(a)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	part := make([]byte, min(a.Size, blobPart))
	for at := int64(0); ; at += int64(len(part)) {
		part = part[:min(int64(len(part)), a.Size-at)]
		if _, err := io.ReadFull(f, part); err != nil {
			return errBytesGone(a)
		}
		if err := jsonlines.Write(x.out,
			&record{Blob: &blobLine{SHA256: a.SHA256, Size: a.Size, Offset: at, Data: part}}); err != nil {
			return err
		}
		if at+int64(len(part)) == a.Size {
			return nil
		}
	}
}

// errBytesGone keeps an incomplete export from looking complete.
func errBytesGone(a *loci.Asset) error {
	return loci.Errorf(loci.Conflict,
		"the bytes of attachment %s of memory %s are not there or not whole, so nothing that is complete can be exported; "+
			"restore them from a backup, or delete the attachment",
		a.ID, a.MemoryID)
}
