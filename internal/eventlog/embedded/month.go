package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// withMonth runs fn on a snapshot of the file of a month, if there is one.
func (l *Log) withMonth(ctx context.Context, org loci.OrgID, m month, fn func(*sqlitedb.Conn) error) (bool, error) {
	return l.withSide(ctx, org, m.file(), false, func(db *sqlitedb.DB) error { return db.Scan(ctx, fn) })
}

// monthSource returns the events of a month in its batches up to one.
func (l *Log) monthSource(c *sqlitedb.Conn, batch int64) *source {
	bodies := &blockReader{zip: &l.zip, c: c}
	return &source{c: c, asc: monthRows + inSpan, desc: monthRows + inSpan + " DESC", upTo: batch,
		body: func(r *sqlitedb.Row) ([]byte, error) { return bodies.body(r.Int64(colBody), r.Int(colPlace)) }}
}

// blockReader reads bodies from blocks. It keeps the last block, because events in a row are in one.
type blockReader struct {
	zip  *compressor
	c    *sqlitedb.Conn
	n    int64
	data []byte
}

func (b *blockReader) body(n int64, place int) ([]byte, error) {
	if n != b.n || b.data == nil {
		data, err := b.zip.block(b.c, n)
		if err != nil {
			return nil, err
		}
		b.n, b.data = n, data
	}
	return bodyAt(b.data, place)
}

func bodyAt(data []byte, place int) ([]byte, error) {
	if place < 0 || place > len(data) {
		return nil, errDamaged
	}
	size, head := binary.Uvarint(data[place:])
	if head <= 0 || size > uint64(len(data)-place-head) {
		return nil, errDamaged
	}
	begin := place + head
	return data[begin : begin+int(size)], nil // #nosec G115 -- at most the length of a slice
}

// maxBlock limits what a damaged block can take of memory.
const maxBlock = 64 << 20

type compressor struct {
	once sync.Once
	enc  *zstd.Encoder
	dec  *zstd.Decoder
	err  error
}

func (z *compressor) start() error {
	z.once.Do(func() {
		if z.enc, z.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(1<<20)); z.err == nil {
			z.dec, z.err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxBlock))
		}
	})
	return z.err
}

func (z *compressor) compress(data []byte) ([]byte, error) {
	if err := z.start(); err != nil {
		return nil, err
	}
	return z.enc.EncodeAll(data, nil), nil
}

func (z *compressor) block(c *sqlitedb.Conn, n int64) (data []byte, err error) {
	if err := z.start(); err != nil {
		return nil, err
	}
	found, err := c.One("SELECT data FROM blocks WHERE n = ?", sqlitedb.Args{n}, func(r *sqlitedb.Row) (err error) {
		if data, err = z.dec.DecodeAll(r.Raw(0), nil); err != nil {
			err = fmt.Errorf("block %d: %w: %w", n, errDamaged, err)
		}
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("block %d: %w: it is missing", n, errDamaged)
	}
	return data, err
}
