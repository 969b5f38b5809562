package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// blobIn is an attachment whose bytes come in several lines. They go to the store as they arrive.
type blobIn struct {
	line int
	blobLine
	at     int64 // end of what has arrived
	out    *io.PipeWriter
	done   chan struct{} // closed when the result of put is set
	sum    [32]byte
	putErr error
}

func (b *blobLine) check() error {
	if sum, err := hex.DecodeString(b.SHA256); err != nil || len(sum) != 32 || hex.EncodeToString(sum) != b.SHA256 {
		return loci.FieldErrorf("sha256", "must be 64 lower-case hexadecimal digits")
	}
	if b.Offset < 0 || b.Size < b.Offset || int64(len(b.Data)) > b.Size-b.Offset || len(b.Data) == 0 && b.Size > 0 {
		return loci.FieldErrorf("data", "does not fit size and offset")
	}
	return nil
}

func (im *importer) takeBlob(ctx context.Context, part *blobLine) error {
	if im.blob != nil && (im.blob.SHA256 != part.SHA256 || im.blob.Size != part.Size || im.blob.at != part.Offset) {
		im.endBlob()
	}
	if im.blob == nil {
		if taken, known := im.blobs[part.SHA256]; part.Offset > 0 {
			if !known { // otherwise the part belongs to a rejected or repeated attachment
				im.refuse(im.report.Lines, loci.Errorf(loci.Invalid, "the part of an attachment whose beginning is not in the "+
					"import"))
			}
			return nil
		} else if taken {
			return nil
		}
		im.blob = im.openBlob(ctx, part)
	}
	if _, err := im.blob.out.Write(part.Data); err != nil {
		return im.closeBlob()
	}
	if im.blob.at += int64(len(part.Data)); im.blob.at < im.blob.Size {
		im.tell(ctx)
		return nil
	}
	return im.closeBlob()
}

// openBlob begins to store an attachment. A dry run only computes its checksum.
func (im *importer) openBlob(ctx context.Context, part *blobLine) *blobIn {
	r, w := io.Pipe()
	b := &blobIn{line: im.report.Lines, blobLine: blobLine{SHA256: part.SHA256, Size: part.Size}, out: w,
		done: make(chan struct{})}
	im.blobs[part.SHA256] = false
	go func() {
		defer close(b.done)
		if im.o.DryRun {
			h := sha256.New()
			_, b.putErr = io.Copy(h, r)
			h.Sum(b.sum[:0])
		} else {
			b.sum, _, b.putErr = im.app.Store.Blobs().Put(ctx, im.p.OrgID, r, part.Size)
		}
		r.CloseWithError(errors.Join(io.ErrClosedPipe, b.putErr)) // a writer must not wait for a reader that is gone
	}()
	return b
}

// closeBlob finishes an attachment that has arrived completely or that the store rejected.
func (im *importer) closeBlob() error {
	b := im.blob
	im.blob = nil
	_ = b.out.Close() // never fails
	<-b.done
	if b.putErr != nil {
		return b.putErr
	}
	if hex.EncodeToString(b.sum[:]) != b.SHA256 {
		im.refuse(b.line, loci.FieldErrorf("data", "does not match sha256; the attachment is damaged"))
		return nil
	}
	im.blobs[b.SHA256] = true
	return nil
}

var errCutShort = loci.Errorf(loci.Invalid, "the attachment is cut off")

// endBlob rejects an attachment that is incomplete.
func (im *importer) endBlob() {
	if im.blob != nil {
		line := im.blob.line
		im.dropBlob()
		im.refuse(line, errCutShort)
	}
}

// dropBlob gives up on the current attachment and waits for its goroutine.
func (im *importer) dropBlob() {
	if im.blob == nil {
		return
	}
	_ = im.blob.out.CloseWithError(errCutShort) // never fails
	<-im.blob.done
	im.blob = nil
}

// blobPart is how many bytes of an attachment one line has. Neither side ever holds more of it in memory.
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
