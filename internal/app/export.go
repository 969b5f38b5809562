package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// An export is JSON lines: one header, then one record per memory, oldest
// first. It names no person and no time of its own, so that the same memories
// always give the same bytes, wherever they were imported.

// exportFormat is raised when an older Loci could not read what is written.
const exportFormat = 1

type exportHeader struct {
	Loci   string `json:"loci"` // always "export"
	Format int    `json:"format"`
}

// record is one line of an export: a memory with all its old versions, oldest
// first. A line is imported whole or not at all.
type record struct {
	Memory   *loci.Memory    `json:"memory"`
	Versions []*loci.Version `json:"versions,omitempty"`
}

// exportPage is how many memories are read at a time.
const exportPage = 200

// Export writes every memory of the person with all its versions, trash and
// expired ones included, as JSON lines. It sees one moment, whatever is
// written meanwhile. It is recorded before the first byte. progress, if not nil, is told the number written so far.
func (a *App) Export(ctx context.Context, p loci.Principal, w io.Writer, progress func(int)) (int, error) {
	if err := a.begin(ctx, p, Export); err != nil {
		return 0, err
	}
	if err := a.record(ctx, p, Export, p.UserID.String()); err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := writeLine(out, exportHeader{"export", exportFormat}); err != nil {
		return 0, err
	}
	written := 0
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		q := store.ListQuery{Filter: Filter{Lifecycle: loci.AnyState}, Limit: exportPage, Oldest: true}
		for {
			page, err := tx.Lists().List(ctx, p.Viewer(), q)
			if err != nil {
				return err
			}
			for _, m := range page.Memories {
				if m.UserID != p.UserID {
					continue // shared with the person, not theirs to take along
				}
				if err := exportOne(ctx, tx, p, m, out); err != nil {
					return err
				}
				written++
			}
			if progress != nil {
				progress(written)
			}
			if q.After = page.Next; q.After == "" {
				return out.Flush()
			}
		}
	})
	return written, err
}

func exportOne(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory, out io.Writer) error {
	r, err := recordOf(ctx, tx, p, m)
	if err != nil {
		return err
	}
	return writeLine(out, r)
}

// recordOf returns the export's form of a stored memory.
func recordOf(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory) (*record, error) {
	r := &record{Memory: m}
	for before := 0; m.Version > 1; {
		page, err := tx.Memories().Versions(ctx, p.Viewer(), m.ID, loci.AnyState, before, exportPage)
		if err != nil {
			return nil, err
		}
		r.Versions = append(r.Versions, page...)
		if len(page) < exportPage {
			break
		}
		before = page[len(page)-1].Version
	}
	slices.Reverse(r.Versions)
	r.setOwner(loci.OrgID(""), loci.UserID{})
	return r, nil
}

// setOwner says whose the record is; an export names nobody.
func (r *record) setOwner(org loci.OrgID, user loci.UserID) {
	r.Memory.OrgID, r.Memory.UserID = org, user
	for _, v := range r.Versions {
		v.OrgID, v.UserID = org, user
	}
}

func writeLine(w io.Writer, v any) error {
	b, err := encodeLine(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
