package eval

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/transfer"
	"github.com/loci-memory/loci/internal/vectors"
)

// MaxLimit is the most hits that the product's recall returns for a question.
const MaxLimit = memory.MaxRecall

// patience is how long a search may take. It is longer than in the product, so that a busy machine takes longer instead
// of finding less.
const patience = time.Minute

// Open opens the store in a directory, and creates it if it is not there.
type Open func(ctx context.Context, dir string) (store.Store, error)

// Product returns the build with what Loci itself does: it imports each unit as a memory into an empty Loci in a new
// temporary directory, and searches with recall. models has the model of embeddings, or is nil to find units by their
// words only. The size is what the units, their index and their vectors add to that of the empty data directory.
func Product(open Open, models embed.Source) Build { return build(open, models, (*product).recall) }

// Packs returns the build with the context packs of Loci, as somebody gets them who sets no limits. A hit is a line of
// the pack.
func Packs(open Open, models embed.Source) Build { return build(open, models, (*product).pack) }

// ask finds units for a question.
type ask func(p *product, ctx context.Context, question string, askedAt time.Time, limit int) ([]string, error)

func build(open Open, models embed.Source, ask ask) Build {
	empty := int64(-1)
	return func(ctx context.Context, units []Unit) (_ Searcher, size int64, err error) {
		if empty < 0 {
			if empty, err = emptySize(ctx, open, models); err != nil {
				return nil, 0, err
			}
		}
		p, err := newProduct(ctx, open, models)
		if err != nil {
			return nil, 0, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, p.Close())
			}
		}()
		p.ask = ask
		if err := p.save(ctx, units); err != nil {
			return nil, 0, err
		}
		if err := p.app.Index.Rebuild(ctx, p.who.OrgID); err != nil {
			return nil, 0, err
		}
		if err := p.app.Vectors.CatchUp(ctx, p.who.OrgID); err != nil {
			return nil, 0, err
		}
		if size, err = p.closedSize(); err != nil {
			return nil, 0, err
		}
		return p, max(size-empty, 0), p.ready(ctx)
	}
}

func emptySize(ctx context.Context, open Open, models embed.Source) (size int64, err error) {
	p, err := newProduct(ctx, open, models)
	if err != nil {
		return -1, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return p.closedSize()
}

// Stored returns the search of memories that a Loci already has, for a principal. The ids are those of the memories.
func Stored(a *app.App, who loci.Principal) Searcher {
	return &product{app: a, who: who, ask: (*product).recall}
}

type product struct {
	ask   ask
	packs bool
	app   *app.App
	who   loci.Principal
	units map[loci.MemoryID]string // nil: the ids are those of the memories

	// The following fields are set if Loci is temporary.
	open   Open
	dir    string
	store  store.Store
	models embed.Source
}

// newProduct opens an empty Loci in a new temporary directory. Close removes it.
func newProduct(ctx context.Context, open Open, models embed.Source) (*product, error) {
	dir, err := os.MkdirTemp("", "loci-eval-")
	if err != nil {
		return nil, err
	}
	p := &product{open: open, dir: dir, models: models}
	if err := p.reopen(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *product) Search(ctx context.Context, question string, askedAt time.Time, limit int) ([]string, error) {
	return p.ask(p, ctx, question, askedAt, limit)
}

func (p *product) recall(ctx context.Context, question string, askedAt time.Time, limit int) ([]string, error) {
	judged, err := p.judged(ctx, memory.SearchRequest{Query: question, Limit: limit, AskedAt: askedAt})
	return loci.Mapped(judged, func(j Judged) string { return j.ID }), err
}

// Judge asks again for what recall leaves out. A pack has no confidence.
func (p *product) Judge(ctx context.Context, question string, askedAt time.Time) ([]Judged, error) {
	if p.packs {
		return nil, nil
	}
	return p.judged(ctx, memory.SearchRequest{Query: question, Limit: judgedHits, AskedAt: askedAt,
		MinConfidence: new(float64)})
}

func (p *product) judged(ctx context.Context, r memory.SearchRequest) ([]Judged, error) {
	page, err := p.app.Memory.Recall(ctx, p.who, r)
	if err != nil {
		return nil, err
	}
	list := make([]Judged, len(page.Items))
	for i, m := range page.Items {
		list[i] = Judged{m.ID.String(), m.Confidence}
		if p.units != nil {
			list[i].ID = p.units[m.ID]
		}
	}
	return list, nil
}

// pack returns the units of a pack, which knows neither askedAt nor another limit than its own.
func (p *product) pack(ctx context.Context, question string, _ time.Time, _ int) (ids []string, err error) {
	p.packs = true
	got, err := p.app.Pack.Context(ctx, p.who, pack.Request{Goal: question})
	if err != nil {
		return nil, err
	}
	for _, s := range got.Sections {
		for _, item := range s.Items {
			var id loci.MemoryID
			if err := id.UnmarshalText([]byte(item.ID)); err != nil {
				return nil, err
			}
			ids = append(ids, p.units[id])
		}
	}
	return ids, nil
}

// Close closes and removes a temporary Loci.
func (p *product) Close() (err error) {
	if p.store != nil {
		err = p.closeStore()
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// closedSize closes the store, because its log is no part of the size, and returns the size of its files.
func (p *product) closedSize() (int64, error) {
	if err := p.closeStore(); err != nil {
		return 0, err
	}
	return sizeOf(p.dir)
}

func (p *product) closeStore() (err error) {
	if p.app != nil {
		err = p.app.Vectors.Close()
	}
	return errors.Join(err, p.store.Close())
}

func (p *product) reopen(ctx context.Context) error {
	st, err := p.open(ctx, p.dir)
	if err != nil {
		return err
	}
	p.store, p.app = st, app.New(app.Options{Store: st, Patience: patience,
		IndexDir: filepath.Join(p.dir, "index"), Models: p.models,
		Vectors: vectors.NewFiles(filepath.Join(p.dir, "vectors"))})
	if _, _, err = p.app.Identity.Setup(ctx); err != nil {
		return err
	}
	who, err := auth.New(auth.Options{Store: st})
	if err == nil {
		p.who, err = who.Local(ctx, "")
	}
	return err
}

// ready opens the store and the index, as a server has them before a question.
func (p *product) ready(ctx context.Context) error {
	if err := p.reopen(ctx); err != nil {
		return err
	}
	return p.store.View(ctx, p.who.OrgID, func(tx store.Tx) error {
		_, err := p.app.Index.Snapshot(ctx, tx, p.who.OrgID)
		return err
	})
}

// save imports the units, which keeps their times.
func (p *product) save(ctx context.Context, units []Unit) error {
	p.units = make(map[loci.MemoryID]string, len(units))
	var lines bytes.Buffer
	lines.WriteString(`{"loci":"export","format":2}` + "\n")
	for i := range units {
		m := memoryOf(&units[i])
		p.units[m.ID] = units[i].ID
		if err := jsonlines.Write(&lines, map[string]*loci.Memory{"memory": m}); err != nil {
			return err
		}
	}
	var refused error
	_, err := p.app.Transfer.Import(ctx, p.who, &lines, transfer.ImportOptions{Problem: func(x jsonlines.Problem) {
		refused = cmp.Or(refused, loci.Errorf(loci.Invalid, "cannot save %s: %s", units[x.Line-2].ID, x.Text))
	}})
	return errors.Join(err, refused)
}

// memoryOf returns the memory of a unit. As with `loci add`, the first line is the title. The id depends on the unit
// alone, so that hits with the same score have the same order each time.
func memoryOf(u *Unit) *loci.Memory {
	text := u.Text
	if u.Speaker != "" {
		text = u.Speaker + ": " + u.Text
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	at := cmp.Or(u.Time, time.Unix(0, 0).UTC())
	m := &loci.Memory{Title: loci.Shorten(loci.OneLine(line), 80), Content: text, CreatedAt: at, UpdatedAt: at,
		State: loci.State{Version: 1, Change: loci.Created, Editor: loci.OriginCLI}}
	sum := sha256.Sum256([]byte(u.ID))
	copy(m.ID[:], sum[:])
	m.Origin = loci.OriginCLI
	if u.Session != "" {
		sum := sha256.Sum256([]byte(u.Session))
		copy(m.SessionID[:], sum[:])
	}
	m.SetDefaults()
	return m
}

func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// Indexed returns the Build with package index and a formula like recall.Formula, in memory and
// without the rest of Loci.
func Indexed(formula index.Weights) Build {
	return func(_ context.Context, units []Unit) (Searcher, int64, error) {
		b := index.NewBuilder()
		ids := make(map[[16]byte]string, len(units))
		for _, u := range units {
			hash := sha256.Sum256([]byte(u.ID))
			id := [16]byte(hash[:])
			ids[id] = u.ID
			b.Add(index.Row{ID: id, Session: u.Session, Time: u.Time, Actor: u.Speaker,
				Fields: []index.Field{{Text: u.Text}}})
		}
		s, err := index.Open(b.Build())
		if err != nil {
			return nil, 0, err
		}
		return &indexed{[]*index.View{index.NewView(s)}, ids, formula}, s.Size(), nil
	}
}

type indexed struct {
	views []*index.View
	ids   map[[16]byte]string

	formula index.Weights
}

// theUser is how conversations with an assistant call the person who asks.
const theUser = "user"

func (s *indexed) Search(_ context.Context, question string, askedAt time.Time, limit int) ([]string, error) {
	hits := recall.Ask{Text: question, At: askedAt, Self: []string{theUser},
		Sees: func(index.Class) bool { return true }, Limit: limit,
		Weights: s.formula}.Read().Find(s.views).Hits
	return loci.Mapped(hits, func(h index.Hit) string { return s.ids[h.ID] }), nil
}
