package storetest

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index/packing"
	"github.com/loci-memory/loci/internal/vectors"
)

// Memory is a vectors.Store in memory, for tests: each process or host that has it shares it.
type Memory struct {
	mu   sync.Mutex
	made int64
	orgs map[loci.OrgID]map[vectors.Key]*set
}

var _ vectors.Store = (*Memory)(nil)

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{orgs: map[loci.OrgID]map[vectors.Key]*set{}} }

type set struct {
	mu       sync.Mutex
	progress vectors.Progress
	seq      int64
	rows     map[loci.MemoryID]row
	queue    []vectors.Job
}

type row struct {
	seq   int64
	hash  []byte
	exact []float32
}

// Sets implements vectors.Store.
func (m *Memory) Sets(_ context.Context, org loci.OrgID) (list []vectors.Key, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k := range m.orgs[org] {
		list = append(list, k)
	}
	return list, nil
}

// Use implements vectors.Store.
func (m *Memory) Use(_ context.Context, org loci.OrgID, k vectors.Key, fn func(vectors.Set) error) error {
	m.mu.Lock()
	s := m.orgs[org][k]
	m.mu.Unlock()
	if s == nil {
		return fs.ErrNotExist
	}
	return fn(s)
}

// Create implements vectors.Store.
func (m *Memory) Create(_ context.Context, org loci.OrgID, model vectors.Model) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.orgs[org] == nil {
		m.orgs[org] = map[vectors.Key]*set{}
	}
	if k := model.Key(); m.orgs[org][k] == nil {
		m.made++
		m.orgs[org][k] = &set{progress: vectors.Progress{Model: model, Identity: m.made}, rows: map[loci.MemoryID]row{}}
	}
	return nil
}

// Remove implements vectors.Store.
func (m *Memory) Remove(_ context.Context, org loci.OrgID, k vectors.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.orgs[org], k)
	return nil
}

// Heal implements vectors.Store. Memory is never damaged.
func (m *Memory) Heal(context.Context, loci.OrgID, vectors.Key) error { return nil }

// Drop implements vectors.Store.
func (m *Memory) Drop(_ context.Context, org loci.OrgID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.orgs, org)
	return nil
}

// Rest implements vectors.Store.
func (m *Memory) Rest(loci.OrgID) {}

// Close implements vectors.Store. Others go on.
func (m *Memory) Close() error { return nil }

func (s *set) Progress(context.Context) (vectors.Progress, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress, nil
}

func (s *set) Advance(_ context.Context, from, to vectors.Progress, list []vectors.Change) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.progress != from {
		return false, nil
	}
	s.progress = to
	for _, c := range list {
		has := s.rows[c.ID].hash
		if c.Gone || has != nil && c.Hash != nil && !bytes.Equal(has, c.Hash) {
			s.forget(c.ID)
		}
		if !c.Gone && (c.Hash == nil || !bytes.Equal(has, c.Hash)) {
			s.unqueue(c.ID)
			due := time.UnixMicro(0)
			if c.Later {
				due = time.UnixMicro(1)
			}
			s.queue = append(s.queue, vectors.Job{ID: c.ID, Due: due})
		}
		if c.Gone {
			s.unqueue(c.ID)
		}
	}
	return true, nil
}

func (s *set) forget(id loci.MemoryID) {
	if s.rows[id].hash != nil {
		s.seq++
		s.rows[id] = row{seq: s.seq}
	}
}

func (s *set) unqueue(id loci.MemoryID) {
	s.queue = slices.DeleteFunc(s.queue, func(j vectors.Job) bool { return j.ID == id })
}

func (s *set) sort() {
	slices.SortStableFunc(s.queue, func(a, b vectors.Job) int { return a.Due.Compare(b.Due) })
}

func (s *set) Take(_ context.Context, most int, now, until time.Time) (jobs []vectors.Job, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sort()
	for i := range s.queue {
		if j := &s.queue[i]; len(jobs) < most && !j.Due.After(now) {
			j.Due, j.Tries = until, j.Tries+1
			jobs = append(jobs, *j)
		}
	}
	return jobs, nil
}

func (s *set) Finish(_ context.Context, list []vectors.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range list {
		i := slices.IndexFunc(s.queue, func(j vectors.Job) bool {
			return j.ID == r.ID && j.Due.UnixMicro() == r.Due.UnixMicro()
		})
		switch {
		case i < 0:
			continue
		case r.Back != nil:
			s.queue[i].Due, s.queue[i].Tries = r.Back.Due, r.Back.Tries
			continue
		case r.Gone:
			s.forget(r.ID)
		case r.Vector != nil:
			s.seq++
			s.rows[r.ID] = row{s.seq, r.Hash, r.Vector}
		}
		s.unqueue(r.ID)
	}
	return nil
}

func (s *set) Queue(_ context.Context, fn func(vectors.Job) error) error {
	s.mu.Lock()
	s.sort()
	list := slices.Clone(s.queue)
	s.mu.Unlock()
	for _, j := range list {
		if err := fn(j); err != nil {
			return err
		}
	}
	return nil
}

func (s *set) Since(_ context.Context, seq int64, fn func(vectors.Row) error) error {
	s.mu.Lock()
	var list []vectors.Row
	for id, r := range s.rows {
		if r.seq > seq {
			list = append(list, vectors.Row{Seq: r.seq, ID: id, Hash: r.hash, Packed: packing.Pack(r.exact)})
		}
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b vectors.Row) int { return int(a.Seq - b.Seq) })
	for _, r := range list {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *set) Count(context.Context) (n vectors.Count, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.Waiting, n.All = len(s.queue), len(s.queue)
	for id, r := range s.rows {
		if r.hash == nil {
			continue
		}
		n.Done++
		if !slices.ContainsFunc(s.queue, func(j vectors.Job) bool { return j.ID == id }) {
			n.All++
		}
	}
	return n, nil
}

func (s *set) Check(context.Context) ([]string, error) { return nil, nil }
