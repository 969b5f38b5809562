//go:build postgres

package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// partSize is how many bytes of an attachment a row has.
const partSize = 256 << 10

// blobs keeps the bytes of attachments in parts. What names, renews and removes them runs one after the other, like all
// changes of an org.
type blobs struct{ s *engine }

// Blobs implements store.Store.
func (s *engine) Blobs() store.Blobs { return blobs{s} }

// Put writes the parts where no reader sees them, and then names them. If there are equal bytes, it renews those: it
// has taken as long.
func (b blobs) Put(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (
	sum [32]byte, size int64, err error) {
	if _, err := b.s.registry.Exists(ctx, org); err != nil {
		return sum, 0, err
	}
	u := &upload{b: b, org: org, id: uuid.New()}
	if err = u.receive(ctx, r, max(limit, 0)); err == nil {
		sum = [32]byte(u.hash.Sum(nil))
		err = u.place(ctx, sum)
	}
	if err != nil && u.parts > 0 {
		err = errors.Join(err, b.update(context.WithoutCancel(ctx), org, u.remove))
	}
	if errors.Is(err, errReference) {
		err = tooSlow()
	}
	return sum, u.size, err
}

// upload is the bytes of an attachment that are being stored.
type upload struct {
	b     blobs
	org   loci.OrgID
	id    uuid.UUID
	hash  hash.Hash
	size  int64
	parts int    // stored
	last  []byte // the part that is not stored yet
}

func (u *upload) receive(ctx context.Context, r io.Reader, limit int64) error {
	u.hash, u.last = sha256.New(), make([]byte, partSize)
	for {
		n, err := io.ReadFull(r, u.last[:partSize])
		done := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if u.last = u.last[:n]; err != nil && !done {
			return err
		}
		if u.size += int64(n); u.size > limit {
			return loci.Errorf(loci.TooLarge, "at most %d bytes", limit)
		}
		u.hash.Write(u.last)
		if done {
			return ctx.Err()
		}
		if err := u.b.update(ctx, u.org, u.store); err != nil {
			return err
		}
		u.parts++
	}
}

// store stores the last part, after the row of an upload.
func (u *upload) store(c sqlstore.Conn) error {
	if u.parts == 0 {
		err := c.Exec("INSERT INTO blobs ({org} id, size, at) VALUES ({?} ?, 0, ?)", [16]byte(u.id), micro(u.b.s.now()))
		if err != nil {
			return err
		}
	}
	return c.Exec("INSERT INTO blob_parts ({org} blob_id, n, data) VALUES ({?} ?, ?, ?)", [16]byte(u.id), u.parts, u.last)
}

// place stores the rest and gives all parts their name, in one transaction.
func (u *upload) place(ctx context.Context, sum [32]byte) error {
	return u.b.update(ctx, u.org, func(c sqlstore.Conn) error {
		if err := u.store(c); err != nil {
			return err
		}
		at := micro(u.b.s.now())
		err := c.Exec("UPDATE blobs SET at = ? WHERE {blobs} sum = ?", at, sum[:])
		if err != nil {
			return err
		}
		if c.Changes() > 0 {
			return u.remove(c)
		}
		return c.Exec("UPDATE blobs SET sum = ?, size = ?, at = ? WHERE {blobs} id = ?", sum[:], u.size, at, [16]byte(u.id))
	})
}

func (u *upload) remove(c sqlstore.Conn) error {
	return c.Exec("DELETE FROM blobs WHERE {blobs} id = ?", [16]byte(u.id))
}

func tooSlow() error {
	return loci.Errorf(loci.Unavailable, "the upload took too long and was removed; try again")
}

func (b blobs) update(ctx context.Context, org loci.OrgID, fn func(sqlstore.Conn) error) error {
	return b.s.Update(ctx, org, func(tx store.Tx) error { return fn(tx.(*sqlstore.Tx).Conn()) })
}

func (b blobs) view(ctx context.Context, org loci.OrgID, fn func(sqlstore.Conn) error) error {
	return b.s.View(ctx, org, func(tx store.Tx) error { return fn(tx.(*sqlstore.Tx).Conn()) })
}

func micro(t time.Time) int64 { return loci.CutTime(t).UnixMicro() }

// keepBlob is what Options.KeepBlob does in a transaction.
func keepBlob(c sqlstore.Conn, sum []byte, now time.Time) error {
	err := c.Exec("UPDATE blobs SET at = ? WHERE {blobs} sum = ?", micro(now), sum)
	if err == nil && c.Changes() == 0 {
		err = loci.Errorf(loci.Conflict, "the bytes of this attachment are gone; upload it again")
	}
	return err
}

func (b blobs) Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error) {
	noBytes := loci.Errorf(loci.NotFound, "no such file")
	if org.Validate() != nil {
		return nil, noBytes
	}
	r := &blobReader{ctx: ctx, b: b, org: org, at: -1}
	err := b.view(ctx, org, func(c sqlstore.Conn) error {
		found, err := c.One("SELECT id, size FROM blobs WHERE {blobs} sum = ?", sqlstore.Args{sum[:]},
			func(row sqlstore.Row) error { r.id, r.size = row.ID(0), row.Int64(1); return nil })
		if err == nil && !found {
			err = noBytes
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// blobReader reads one part at a time.
type blobReader struct {
	ctx    context.Context
	b      blobs
	org    loci.OrgID
	id     [16]byte
	size   int64
	offset int64
	at     int64 // the number of part
	part   []byte
}

func (r *blobReader) Read(p []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	if at := r.offset / partSize; at != r.at {
		if err := r.load(at); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.part[r.offset-r.at*partSize:])
	r.offset += int64(n)
	return n, nil
}

func (r *blobReader) load(at int64) error {
	return r.b.view(r.ctx, r.org, func(c sqlstore.Conn) error {
		found, err := c.One("SELECT data FROM blob_parts WHERE {blob_parts} blob_id = ? AND n = ?", sqlstore.Args{r.id, at},
			func(row sqlstore.Row) error { r.part, r.at = bytes.Clone(row.Raw(0)), at; return nil })
		if err == nil && (!found || int64(len(r.part)) != min(partSize, r.size-at*partSize)) {
			err = loci.Errorf(loci.Unavailable, "the bytes of this attachment are damaged or gone")
		}
		return err
	})
}

func (r *blobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("before the beginning")
	}
	r.offset = offset
	return offset, nil
}

func (r *blobReader) Close() error { return nil }

// Sweep looks and removes in one statement, while no attachment of the org is stored.
func (b blobs) Sweep(ctx context.Context, org loci.OrgID, before time.Time) (n int, err error) {
	err = b.update(ctx, org, func(c sqlstore.Conn) error {
		err := c.Exec("DELETE FROM blobs WHERE {blobs} at < ? AND NOT EXISTS (SELECT 1 FROM assets a WHERE {a} "+
			"a.sha256 = blobs.sum)", before.UnixMicro())
		n = int(c.Changes())
		return err
	})
	return n, err
}

func (b blobs) Check(ctx context.Context, org loci.OrgID) (problems []string, err error) {
	var sums [][32]byte
	err = b.view(ctx, org, func(c sqlstore.Conn) error {
		return c.Query("SELECT DISTINCT a.sha256 FROM assets a WHERE {a} TRUE UNION SELECT b.sum FROM blobs b WHERE {b} "+
			"b.sum IS NOT NULL", nil, func(r sqlstore.Row) error { sums = append(sums, [32]byte(r.Raw(0))); return nil })
	})
	for _, sum := range sums {
		hash := sha256.New()
		r, err := b.Open(ctx, org, sum)
		if err == nil {
			_, err = io.Copy(hash, r)
		}
		if loci.CodeOf(err) == loci.NotFound {
			var named bool
			if named, err = b.named(ctx, org, sum); !named && err == nil {
				continue // swept since
			}
		}
		if err != nil || [32]byte(hash.Sum(nil)) != sum {
			problems = append(problems, fmt.Sprintf("the bytes of the attachment %s are missing or have changed",
				hex.EncodeToString(sum[:])))
		}
	}
	return problems, err
}

func (b blobs) named(ctx context.Context, org loci.OrgID, sum [32]byte) (named bool, err error) {
	err = b.view(ctx, org, func(c sqlstore.Conn) error {
		named, err = c.One("SELECT 1 FROM assets a WHERE {a} a.sha256 = ? LIMIT 1", sqlstore.Args{sum[:]},
			func(sqlstore.Row) error { return nil })
		return err
	})
	return named, err
}
