package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// operation is one kind of request, with the work on SQLite that no server can leave out.
type operation struct {
	name    string
	clients int
	send    func(c *conn, client int) error
	alone   func() error // one durable row or the rows of the answer, on one bare connection
	bars    []Bar
	of      func(cost) (ratio float64, unit string)
	saves   bool // it leaves work to the index
}

// cost is the processor time of one operation.
type cost struct{ server, handler, alone time.Duration }

const ofBothUnit = "× (bare handler + SQLite)"

func ofBoth(c cost) (float64, string) {
	return c.server.Seconds() / (c.handler + c.alone).Seconds(), ofBothUnit
}

// turns is how often the server, the bare handler and SQLite take turns, so that other work on the
// machine affects all three.
const turns = 5

// processor measures the processor time of the server process per operation. Beside it stands the floor: a bare
// net/http handler, in a process too, that sends the same bytes, and the same rows on SQLite alone.
func (b *bencher) processor(ctx context.Context) error {
	if _, ok := processorTime(os.Getpid()); !ok {
		b.Progress("no processor time, because this system doesn't report it")
		return nil
	}
	b.Progress(fmt.Sprintf("storing %d memories, also on SQLite alone", b.Memories))
	ids, err := b.load(ctx, "processor")
	if err != nil {
		return err
	}
	p, plainIDs, err := b.plainCopy("plain-processor.db", true)
	if err != nil {
		return err
	}
	err = b.serve(ctx, "processor", func(s *server) error {
		for _, op := range append(b.readOperations(ids, p, plainIDs), b.saveOperations(p)...) {
			b.Progress("processor time: " + op.name)
			if err := b.operation(ctx, s, op); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, p.Close())
}

// plainCopy stores the corpus of load on SQLite alone, with postings or only with rows and full text.
func (b *bencher) plainCopy(name string, postings bool) (*sqlite.Plain, []loci.MemoryID, error) {
	user := loci.NewUserID()
	p, err := sqlite.OpenPlain(filepath.Join(b.Dir, name), user, postings)
	if err != nil {
		return nil, nil, err
	}
	c, ids := newCorpus(1, user), make([]loci.MemoryID, 0, b.Memories)
	for len(ids) < b.Memories && err == nil {
		batch := make([]*loci.Memory, min(500, b.Memories-len(ids)))
		for i := range batch {
			batch[i] = c.next()
			ids = append(ids, batch[i].ID)
		}
		err = p.InsertAll(batch)
	}
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return p, ids, nil
}

func (b *bencher) readOperations(ids []loci.MemoryID, p *sqlite.Plain, plainIDs []loci.MemoryID) []operation {
	c := newCorpus(2, loci.NewUserID())
	ofHandler := func(c cost) (float64, string) { return c.server.Seconds() / c.handler.Seconds(), "× bare handler" }
	few := []Bar{{"must", 3, true}, {"goal", 2, true}}
	return []operation{
		{"get by id", 1, func(h *conn, _ int) error {
			return h.send("GET", "/agent/memories/"+ids[c.random.IntN(len(ids))].String(), personKey, nil)
		}, func() error { return p.Get(plainIDs[c.random.IntN(len(plainIDs))]) },
			[]Bar{{"must", 2, true}, {"goal", 1.5, true}}, ofHandler, false},
		{"latest 20", 1, func(h *conn, _ int) error {
			return h.send("POST", "/agent/memories/list", personKey, map[string]any{"limit": 20})
		}, func() error { return p.List("", 20) }, few, ofHandler, false},
		{"by tag, 20", 1, func(h *conn, _ int) error {
			return h.send("POST", "/agent/memories/by-tag", personKey, map[string]any{"tags": []string{c.tag()}, "limit": 20})
		}, func() error { return p.List(c.tag(), 20) }, few, ofHandler, false},
	}
}

func (b *bencher) saveOperations(p *sqlite.Plain) []operation {
	sources := make([]*corpus, b.Clients)
	for i := range sources {
		sources[i] = newCorpus(uint64(i)+10, loci.NewUserID())
	}
	save := func(similar bool) func(*conn, int) error {
		return func(c *conn, client int) error {
			return c.send("POST", "/agent/memories", agentKey, savedBy(sources[client], similar))
		}
	}
	own := newCorpus(3, loci.NewUserID())
	rows := make([]*loci.Memory, 500) // made before, because making them takes time too
	for i := range rows {
		rows[i] = own.next()
		rows[i].UserID = p.User()
	}
	next := 0
	insert := func() error {
		m := rows[next%len(rows)]
		next++
		m.ID = loci.NewMemoryID()
		return p.Insert(m)
	}
	var without time.Duration
	ofOther := func(c cost) (float64, string) {
		return c.server.Seconds() / without.Seconds(), "× save without similar"
	}
	return []operation{
		{"save without similar, 1 client", 1, save(false), insert, []Bar{{"must", 2.5, true}, {"goal", 1.5, true}},
			func(c cost) (float64, string) { without = c.server; return ofBoth(c) }, true},
		{fmt.Sprintf("save without similar, %d clients", b.Clients), b.Clients, save(false), insert,
			[]Bar{{"must", 1.5, true}, {"goal", 1.1, true}}, ofBoth, true},
		{"save, 1 client", 1, save(true), insert, []Bar{{"must", 1.3, true}}, ofOther, true},
	}
}

// savedBy returns the body of a save of the next memory.
func savedBy(c *corpus, similar bool) map[string]any {
	m := c.next()
	return map[string]any{"title": m.Title, "content": m.Content, "tags": m.Tags, "allowed_vendors": []string{"*"},
		"similar": similar}
}

// operation measures one operation and adds its results. The index is up to date before, and its files
// are merged, so that no operation pays for the saves of another one.
func (b *bencher) operation(ctx context.Context, s *server, op operation) error {
	if err := errors.Join(s.warm(ctx), s.idle(ctx)); err != nil {
		return err
	}
	first, err := s.dial()
	if err != nil {
		return err
	}
	if err = errors.Join(op.send(first, 0), first.close()); err != nil {
		return err
	}
	floor, err := b.startFloor(ctx, first)
	if err != nil {
		return err
	}
	var server, handler, alone spent
	for range turns {
		err = errors.Join(server.load(ctx, s, b.Step/turns, op), handler.load(ctx, floor, b.Step/turns, op),
			alone.run(ctx, os.Getpid(), func() (Sample, error) {
				return run(ctx, 1, b.Step/turns, func(context.Context, int) (time.Duration, error) { return 0, op.alone() })
			}))
		if err != nil {
			return errors.Join(err, floor.stop())
		}
	}
	b.addCost(op, cost{server.each(), handler.each(), alone.each()})
	if op.saves {
		err = b.indexed(ctx, s, op, server.count)
	}
	return errors.Join(err, floor.stop())
}

func (b *bencher) addCost(op operation, c cost) {
	for _, r := range []struct {
		of string
		in time.Duration
	}{{"bare handler", c.handler}, {"SQLite alone", c.alone}, {"server", c.server}} {
		b.addTime(op, r.of, r.in)
	}
	ratio, unit := op.of(c)
	b.add("processor time of "+op.name, Sample{}, ratio, unit, op.bars...)
	if unit != ofBothUnit {
		ratio, unit = ofBoth(c)
		b.add("processor time of "+op.name, Sample{}, ratio, unit)
	}
}

func (b *bencher) addTime(op operation, of string, each time.Duration) {
	b.add(fmt.Sprintf("processor time of %s: %s", op.name, of), Sample{}, float64(each)/float64(time.Microsecond),
		"µs each")
}

// indexed adds how much of the work of the index the saves have left to the next search.
func (b *bencher) indexed(ctx context.Context, s *server, op operation, saves int) error {
	var left spent
	err := left.run(ctx, s.process.Process.Pid, func() (Sample, error) {
		return Sample{Count: saves}, errors.Join(s.warm(ctx), s.idle(ctx))
	})
	b.addTime(op, "server's index, left to the next search", left.each())
	return err
}

// maxIdleWait is how long idle waits. Merging the index of 1,000,000 memories takes less.
const maxIdleWait = time.Minute

// idle waits until the server has used less than a tenth of a processor within a second. What it does every second
// without a request takes less, even where waking up is slow.
func (s *server) idle(ctx context.Context) error { return s.idleWithin(ctx, maxIdleWait) }

func (s *server) idleWithin(ctx context.Context, limit time.Duration) error {
	for end := time.Now().Add(limit); time.Now().Before(end); {
		before, _ := processorTime(s.process.Process.Pid)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if after, _ := processorTime(s.process.Process.Pid); after-before < time.Second/10 {
			return nil
		}
	}
	return fmt.Errorf("the server was still busy %s after the last request", limit)
}

// spent is the processor time of a process for a number of operations.
type spent struct {
	time  time.Duration
	count int
}

func (t *spent) load(ctx context.Context, s *server, length time.Duration, op operation) error {
	return t.run(ctx, s.process.Process.Pid, func() (Sample, error) {
		return s.load(ctx, op.clients, length, func(c *conn, client int) (time.Duration, error) {
			return 0, op.send(c, client)
		})
	})
}

func (t *spent) run(ctx context.Context, pid int, do func() (Sample, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	before, _ := processorTime(pid)
	sample, err := do()
	after, _ := processorTime(pid)
	t.time += after - before
	t.count += sample.Count
	return err
}

func (t *spent) each() time.Duration { return t.time / time.Duration(max(t.count, 1)) }

// floorAnswer is what the bare handler sends: an answer that the measured server gave.
type floorAnswer struct {
	Status int
	Header http.Header
	Body   []byte
}

// ServeFloor serves the bare handler on address until ctx ends. in has its answer.
func ServeFloor(ctx context.Context, address string, in io.Reader) error {
	var a floorAnswer
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

var floorKeys = [][32]byte{sha256.Sum256([]byte(personKey)), sha256.Sum256([]byte(agentKey))}

// ServeHTTP does what no server with keys can leave out: it compares the key, reads the body and sends the bytes.
func (a floorAnswer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/health" {
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum, known := sha256.Sum256([]byte(token)), 0
	for _, key := range floorKeys {
		known |= subtle.ConstantTimeCompare(sum[:], key[:])
	}
	if known == 0 {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the client is gone
}

// startFloor starts the bare handler with the last answer of c.
func (b *bencher) startFloor(ctx context.Context, c *conn) (*server, error) {
	header, err := c.header()
	if err != nil {
		return nil, err
	}
	header.Del("Date") // net/http sets it
	answer, err := json.Marshal(floorAnswer{c.status, header, c.body})
	if err != nil {
		return nil, err
	}
	return start(ctx, b.Binary, b.Dir, bytes.NewReader(answer), nil, "bench", "floor")
}
