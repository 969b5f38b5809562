//go:build postgres

package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/group"
)

// writer returns the one writer of an org in this process.
func (s *engine) writer(org loci.OrgID) *group.Writer[store.Tx] {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.writers[org]
	if w == nil {
		if s.writers == nil {
			s.writers = map[loci.OrgID]*group.Writer[store.Tx]{}
		}
		w = group.NewWriter[store.Tx](&orgWriter{s: s, org: org})
		s.writers[org] = w
	}
	return w
}

// orgWriter implements group.Engine. Writers of other processes wait for the row of the org.
type orgWriter struct {
	s     *engine
	org   loci.OrgID
	conn  *pgxpool.Conn
	tx    *conn // nil: none is open
	key   [16]byte
	ended int64 // transactions that were rolled back
}

func (w *orgWriter) Lock() error { return nil } // Begin locks

func (w *orgWriter) TryLock() bool { return false }

func (w *orgWriter) Unlock() {}

func (w *orgWriter) Settle() {}

func (w *orgWriter) Unsettled() bool { return false }

// Begin takes one round trip.
func (w *orgWriter) Begin() (err error) {
	ctx := context.Background() // it serves many callers
	if w.conn, err = w.s.pool.Acquire(ctx); err != nil {
		return err
	}
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	batch.Queue("SELECT set_config('loci.org', $1, TRUE)", string(w.org))
	batch.Queue("SELECT position_key, stamp FROM org WHERE org_id = $1 FOR UPDATE", string(w.org))
	answers := w.conn.SendBatch(ctx, &batch)
	for range 2 {
		_, begun := answers.Exec()
		err = errors.Join(err, begun)
	}
	key, _, locked := orgRow(answers.QueryRow())
	w.key, err = key, errors.Join(err, answers.Close())
	if locked != nil {
		err = locked
	}
	w.tx = &conn{ctx: ctx, tx: w.conn, org: string(w.org)}
	if err != nil {
		w.Rollback()
	}
	return err
}

func (w *orgWriter) Call(fn func(store.Tx) error) error {
	shared, err := w.s.tx(w.tx, w.org, w.key)
	if err != nil {
		return err
	}
	return fn(shared)
}

func (w *orgWriter) Mark() int64 {
	if w.tx == nil {
		return w.ended
	}
	return w.ended + w.tx.marks
}

func (w *orgWriter) Save() error { return w.tx.control("SAVEPOINT one") }

func (w *orgWriter) Release() error { return w.tx.control("RELEASE SAVEPOINT one") }

func (w *orgWriter) Restore() bool {
	return w.tx.control("ROLLBACK TO SAVEPOINT one") == nil && w.Release() == nil
}

func (w *orgWriter) Intact() bool { return !w.conn.Conn().IsClosed() }

// Commit takes one round trip, in which it also counts the commit.
func (w *orgWriter) Commit() error {
	var batch pgx.Batch
	batch.Queue("UPDATE org SET stamp = stamp + 1 WHERE org_id = $1", string(w.org))
	batch.Queue("COMMIT")
	answers := w.conn.SendBatch(w.tx.ctx, &batch)
	_, err := answers.Exec()
	tag, ended := answers.Exec()
	err = errors.Join(err, ended, answers.Close())
	if err == nil && tag.String() != "COMMIT" {
		err = errors.New("the server rolled the transaction back")
	}
	if err == nil {
		w.conn.Release()
		w.tx = nil
	}
	return err
}

func (w *orgWriter) Rollback() {
	_, _ = w.conn.Exec(w.tx.ctx, "ROLLBACK") // the pool closes a connection that is still in a transaction
	w.conn.Release()
	w.ended += w.tx.marks + 1
	w.tx = nil
}

// control runs a statement about the transaction itself.
func (c *conn) control(sql string) error {
	_, err := c.tx.Exec(c.ctx, sql)
	return err
}

// saver saves memories of one person.
type saver struct {
	*engine
	org  loci.OrgID
	user loci.UserID
}

func newSaver(t testing.TB) saver {
	s := saver{open(t, newSchema(t), time.Now), "acme", loci.NewUserID()}
	want := loci.Org{ID: s.org, Name: "Acme", OwnerID: s.user, CreatedAt: time.Now()}
	if _, _, err := s.Orgs().Ensure(t.Context(), want, loci.User{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// save inserts a memory.
func (s saver) save(ctx context.Context, id loci.MemoryID) error {
	now := time.Now().Truncate(time.Microsecond).UTC()
	m := &loci.Memory{ID: id, Access: loci.Access{OrgID: s.org, UserID: s.user, Origin: "manual", Scope: loci.ScopeGlobal,
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}, Title: "title", Content: "content", Category: "fact",
		Type: loci.Semantic, Importance: 5, Source: "manual", CreatedAt: now, UpdatedAt: now,
		State: loci.State{Version: 1, Change: loci.Created, Editor: "manual", EditorID: s.user}}
	return s.Update(ctx, s.org, func(tx store.Tx) error { return tx.Memories().Insert(ctx, m) })
}

// queued is a context that tells when Update has queued a change and begins to wait for it.
type queued struct {
	context.Context
	seen chan struct{}
}

func (q queued) Done() <-chan struct{} {
	close(q.seen)
	return q.Context.Done()
}

// Of saves that wait together, a bad one fails alone, also after an error of the server.
func TestSavesFailAlone(t *testing.T) {
	s := newSaver(t)
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Update(t.Context(), s.org, func(store.Tx) error {
			once.Do(func() { close(begun); <-release })
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	const saves = 12
	taken := loci.NewMemoryID()
	var mu sync.Mutex
	stored, conflicts := 0, 0
	for i := range saves {
		id := loci.NewMemoryID()
		if i%4 == 3 {
			id = taken
		}
		ctx := queued{t.Context(), make(chan struct{})}
		wg.Go(func() {
			err := s.save(ctx, id)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				stored++
			case loci.CodeOf(err) == loci.Conflict:
				conflicts++
			default:
				t.Error(err)
			}
		})
		<-ctx.seen
	}
	close(release)
	wg.Wait()
	if stored != saves-2 || conflicts != 2 {
		t.Errorf("%d saves and %d conflicts", stored, conflicts)
	}
}

// BenchmarkSaves compares saves of one org with bare inserts of as many writers on the same server.
func BenchmarkSaves(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprint("bare/", writers), func(b *testing.B) {
			schema := newSchema(b)
			s := open(b, schema, time.Now)
			asSuperuser(b, schema, "CREATE TABLE bare (id uuid PRIMARY KEY, content text); "+
				"GRANT ALL ON bare TO "+storeRole)
			each(b, writers, func() error {
				_, err := s.pool.Exec(b.Context(), "INSERT INTO bare VALUES (gen_random_uuid(), 'content')")
				return err
			})
		})
		b.Run(fmt.Sprint("saves/", writers), func(b *testing.B) {
			s := newSaver(b)
			each(b, writers, func() error {
				return s.save(b.Context(), loci.NewMemoryID())
			})
		})
	}
}

// each calls fn b.N times from so many goroutines.
func each(b *testing.B, writers int, fn func() error) {
	b.ResetTimer()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				if err := fn(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
