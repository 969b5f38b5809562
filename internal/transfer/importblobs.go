package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/loci-memory/loci"
)

// blobIn is an attachment whose bytes come in several lines. They go to the store as they come.
type blobIn struct {
	line int
	blobLine
	at     int64 // behind what has come
	out    *io.PipeWriter
	done   chan struct{} // closed when put has its values
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

// takeBlob takes a part of an attachment.
func (im *importer) takeBlob(ctx context.Context, part *blobLine) error {
	if im.blob != nil && (im.blob.SHA256 != part.SHA256 || im.blob.Size != part.Size || im.blob.at != part.Offset) {
		im.endBlob()
	}
	if im.blob == nil {
		if taken, known := im.blobs[part.SHA256]; part.Offset > 0 {
			if !known { // else it is the rest of what was refused already, or of what came twice
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
		im.tell(nil)
		return nil
	}
	return im.closeBlob()
}

// openBlob begins to store an attachment; a dry run only reckons its sum.
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
		r.CloseWithError(errors.Join(io.ErrClosedPipe, b.putErr)) // a writer must not wait for somebody who is gone
	}()
	return b
}

// closeBlob ends an attachment of which everything has come, or that the store did not take.
func (im *importer) closeBlob() error {
	b := im.blob
	im.blob = nil
	_ = b.out.Close() // never fails
	<-b.done
	if b.putErr != nil {
		return b.putErr
	}
	if hex.EncodeToString(b.sum[:]) != b.SHA256 {
		im.refuse(b.line, loci.FieldErrorf("data", "is not what sha256 says; the attachment was damaged on its way"))
		return nil
	}
	im.blobs[b.SHA256] = true
	return nil
}

var errCutShort = loci.Errorf(loci.Invalid, "the attachment stops before its end")

// endBlob refuses an attachment of which more should have come.
func (im *importer) endBlob() {
	if im.blob != nil {
		line := im.blob.line
		im.dropBlob()
		im.refuse(line, errCutShort)
	}
}

// dropBlob gives up on the attachment that is being read, and waits for its end.
func (im *importer) dropBlob() {
	if im.blob == nil {
		return
	}
	_ = im.blob.out.CloseWithError(errCutShort) // never fails
	<-im.blob.done
	im.blob = nil
}
