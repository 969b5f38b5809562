package embedded

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const (
	// sealAge is how long a month is over before its events move into its file, and how long an event
	// stays in log.db in any case. Until then, the log looks there for duplicates.
	sealAge = keepRuns
	// sealAgain is how long seal doesn't look again if it has found nothing.
	sealAgain = time.Hour
	// sealRows and sealBytes limit one step, because appends wait for it.
	sealRows  = 1000
	sealBytes = 4 << 20
	// blockBytes is how much text a block has, about. More compress better, fewer are read faster.
	blockBytes = 64 << 10
)

// stays is true for events that neither leave the log for another system nor were refused there.
const stays = "NOT EXISTS (SELECT 1 FROM queue q WHERE q.seq = events.seq) AND " +
	"NOT EXISTS (SELECT 1 FROM dead d WHERE d.seq = events.seq)"

// sealed is an event on its way into the file of its month.
type sealed struct {
	id            loci.EventID
	stream        int64
	class, kind   string
	importance    int
	recorded, seq int64
	body          []byte
	block, place  int64
}

// seal moves some events of a past month into its file. It commits them there first, as a batch that
// counts only when log.db knows it, and then deletes them from log.db. If it is killed in between, the
// next step puts them there again.
func (l *Log) seal(ctx context.Context, f *orgLog) (more bool, err error) {
	now := l.opts.Now()
	if now.UnixMicro() < f.sealAfter.Load() {
		return false, nil
	}
	rows, batch, err := l.due(ctx, f, now.Add(-sealAge))
	if err != nil {
		return false, err
	}
	if len(rows) == 0 {
		f.sealAfter.Store(now.Add(sealAgain).UnixMicro())
		return false, nil
	}
	m := monthOfID(rows[0].id)
	_, err = l.withSide(ctx, f.org, m.file(), true, func(db *sqlitedb.DB) error {
		return db.Update(ctx, func(c *sqlitedb.Conn) error { return l.putBatch(c, rows, batch) })
	})
	if err != nil {
		return false, err
	}
	return true, f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return closeBatch(c, m, rows, batch) })
}

// due returns the first events that may move, all of one month, and the number of its next batch.
func (l *Log) due(ctx context.Context, f *orgLog, recorded time.Time) (rows []sealed, batch int64, err error) {
	end := loci.FirstEventID(monthOf(recorded).begin())
	bytes := 0
	err = f.DB.Scan(ctx, func(c *sqlitedb.Conn) error {
		if _, err := loadState(c); err != nil {
			return err
		}
		err := logSource(c, 0, allSeqs).query(ctx, logRows+" WHERE id < ? AND recorded <= ? AND "+stays+" ORDER BY id",
			sqlitedb.Args{[16]byte(end), recorded.UnixMicro()}, func(_ *source, r *sqlitedb.Row) (bool, error) {
				row := sealed{id: idOf(r), stream: r.Int64(colStream), class: r.Text(colClass), kind: r.Text(colType),
					importance: r.Int(colImportance), recorded: r.Int64(colRecorded), seq: r.Int64(colNumber), body: r.Blob(colBody)}
				if len(rows) == sealRows || bytes >= sealBytes || len(rows) > 0 && monthOfID(row.id) != monthOfID(rows[0].id) {
					return false, nil
				}
				rows = append(rows, row)
				bytes += len(row.body)
				return true, nil
			})
		if err != nil || len(rows) == 0 {
			return err
		}
		month := sqlitedb.Args{int(monthOfID(rows[0].id))}
		_, err = c.One("SELECT batch FROM months WHERE month = ?", month, readNumber(&batch))
		batch++
		return err
	})
	return rows, batch, err
}

// putBatch writes a batch into the file of a month, in the place of one that log.db doesn't know.
func (l *Log) putBatch(c *sqlitedb.Conn, rows []sealed, batch int64) error {
	if err := undoBatches(c, batch); err != nil {
		return err
	}
	if err := l.putBlocks(c, rows); err != nil {
		return err
	}
	for _, r := range rows {
		err := c.Exec(`INSERT INTO events (id, stream, class, type, importance, recorded, batch, block, place)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, [16]byte(r.id), r.stream, r.class, r.kind, r.importance, r.recorded, batch,
			r.block, r.place)
		if err != nil {
			return err
		}
	}
	return c.Exec("UPDATE state SET batch = ?", batch)
}

// undoBatches deletes the events of a batch and later ones.
func undoBatches(c *sqlitedb.Conn, batch int64) error {
	var last int64
	if _, err := c.One("SELECT batch FROM state", nil, readNumber(&last)); err != nil || last < batch {
		return err
	}
	if err := c.Exec("DELETE FROM events WHERE batch >= ?", batch); err != nil {
		return err
	}
	return c.Exec("DELETE FROM blocks WHERE n NOT IN (SELECT block FROM events)")
}

func (l *Log) putBlocks(c *sqlitedb.Conn, rows []sealed) error {
	var n int64
	if _, err := c.One("SELECT max(n) FROM blocks", nil, readNumber(&n)); err != nil {
		return err
	}
	var data []byte
	first := 0
	for i := range rows {
		rows[i].block, rows[i].place = n+1, int64(len(data))
		data = appendText(data, rows[i].body)
		if len(data) < blockBytes && i < len(rows)-1 {
			continue
		}
		packed, err := l.zip.compress(data)
		if err != nil {
			return err
		}
		n++
		if err := c.Exec("INSERT INTO blocks (n, first, last, data) VALUES (?, ?, ?, ?)", n, [16]byte(rows[first].id),
			[16]byte(rows[i].id), packed); err != nil {
			return err
		}
		data, first = data[:0], i+1
	}
	return nil
}

// closeBatch deletes a batch from log.db. From then on, it counts in the file of the month.
func closeBatch(c *sqlitedb.Conn, m month, rows []sealed, batch int64) error {
	for _, r := range rows {
		if err := c.Exec("DELETE FROM events WHERE seq = ?", r.seq); err != nil {
			return err
		}
	}
	err := c.Exec(`INSERT INTO months (month, batch) VALUES (?, ?)
		ON CONFLICT (month) DO UPDATE SET batch = excluded.batch`, int(m), batch)
	if err != nil {
		return err
	}
	last := slices.MaxFunc(rows, func(a, b sealed) int { return cmp.Compare(a.seq, b.seq) }).seq
	return c.Exec("UPDATE state SET sealed = max(sealed, ?), floor = max(floor, ?)", last, last)
}

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
