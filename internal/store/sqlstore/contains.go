package sqlstore

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Contains walks the list and reads the texts, because no index can find parts of words.
func (t lists) Contains(ctx context.Context, v loci.Viewer, cq store.ContainsQuery) (found store.Contained, err error) {
	if cq.Text == "" || cq.Look < 1 || cq.Limit < 1 {
		return found, loci.Errorf(loci.Invalid,
			"a text to look for is not empty, and one looks at and returns at least 1 row")
	}
	if err := checkWhen(&cq.Filter); err != nil {
		return found, err
	}
	w, err := t.listing(v, &cq.Filter, false)
	if err != nil {
		return found, err
	}
	finder := newFinder(cq.Text)
	for left := cq.Look; !isOver(ctx, &found.Cut); {
		places, err := w.next(min(left, maxBatch-1) + 1)
		if err != nil || len(places) == 0 {
			return found, err
		}
		rows, err := t.texts(w, places, finder)
		if err != nil {
			return store.Contained{}, err
		}
		for _, p := range places {
			row, visible := rows[p.Seq]
			switch {
			case !visible:
				continue
			case left == 0 || row.has && len(found.IDs) == cq.Limit:
				found.More = true
				return found, nil
			case row.has:
				found.IDs = append(found.IDs, row.id)
			}
			left--
		}
	}
	return found, unlessCut(ctx, found.Cut)
}

// textRow is a visible row and whether it contains the text.
type textRow struct {
	id  loci.MemoryID
	has bool
}

// texts searches the visible rows at places. The result is keyed by row number.
func (t lists) texts(w *listing, places []Place, f *finder) (map[int64]textRow, error) {
	rows := make(map[int64]textRow, len(places))
	columns := func(row string) string {
		return row + ".title, " + row + ".content, " + row + ".summary, " + row + ".key, " + row + ".tags"
	}
	err := t.eachAt(w, places, columns, func(r Row) error {
		has, err := f.inRow(r)
		rows[r.Int64(0)] = textRow{r.ID(1), has}
		return err
	})
	return rows, err
}

// finder looks for one text and ignores case.
type finder struct{ want, buf []byte }

func newFinder(text string) *finder { return &finder{want: fold(nil, []byte(text))} }

// inRow searches columns 2 to 6. The last of them has the tags.
func (f *finder) inRow(r Row) (bool, error) {
	for col := 2; col < 6; col++ {
		if f.in(r.Raw(col)) {
			return true, nil
		}
	}
	tags, err := fromJSON[string](r.Raw(6))
	for _, tag := range tags {
		if f.in([]byte(tag)) {
			return true, nil
		}
	}
	return false, err
}

func (f *finder) in(text []byte) bool {
	f.buf = fold(f.buf[:0], text)
	return bytes.Contains(f.buf, f.want)
}

// fold appends text with the same letter for all letters that differ only in case: the first one
// in the cycle of unicode.SimpleFold, which in ASCII is the capital letter.
func fold(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		dst = utf8.AppendRune(dst, loci.FoldRune(r))
		i += size
	}
	return dst
}
