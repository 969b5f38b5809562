package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// The output of read_graph of the reference server, which people also save to files, is one JSON
// object with two lists: {"entities": […], "relations": […]}. Some people make an array of the lines.

// isWholeGraph reports whether the input is such an object or array.
func isWholeGraph(in *bufio.Reader) bool {
	head, _ := in.Peek(in.Size())
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("[")) {
		return true
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && (bytes.HasPrefix(rest, []byte(`"entities"`)) || bytes.HasPrefix(rest, []byte(`"relations"`)))
}

// readWhole reads such an input item by item. After damage, it reads on line by line.
func (im *importer) readWhole(ctx context.Context, in *bufio.Reader) error {
	r := &objectReader{in: in, line: 1}
	r.dec = json.NewDecoder(r)
	err := im.readObject(ctx, r)
	im.report.Bytes += r.read
	var bad *brokenObject
	if !errors.As(err, &bad) {
		im.report.Lines = r.at(r.read)
		return err
	}
	r.at(r.dec.InputOffset())
	blanks := len(r.ahead) - len(bytes.TrimLeft(r.ahead, " \t\r\n,"))
	line := r.at(r.dec.InputOffset() + int64(blanks))
	im.refuse(line, bad.why)
	damaged, rest, _ := bytes.Cut(r.ahead, []byte("\n"))
	im.report.Bytes -= int64(len(rest))
	im.report.Lines, im.damaged = line, true
	if err := eachObject(damaged, true, im.takeObject(ctx)); err != nil {
		return err
	}
	return im.readLines(ctx, bufio.NewReader(io.MultiReader(bytes.NewReader(rest), r.in)))
}

func (im *importer) readObject(ctx context.Context, r *objectReader) error {
	open, err := r.token() // what isWholeGraph saw
	if err != nil {
		return err
	}
	if open == json.Delim('[') {
		if err := im.readItems(ctx, r, ""); err != nil {
			return err
		}
		return r.end()
	}
	for r.dec.More() {
		name, err := r.token()
		if err != nil {
			return err
		}
		switch name {
		case "entities":
			err = im.readList(ctx, r, referenceEntity)
		case "relations":
			err = im.readList(ctx, r, referenceRelation)
		default:
			_, err = r.value()
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.token(); err != nil {
		return err
	}
	return r.end()
}

func (im *importer) readList(ctx context.Context, r *objectReader, kind string) error {
	open, err := r.token()
	if err != nil {
		return err
	}
	if open != json.Delim('[') {
		return &brokenObject{loci.Errorf(loci.Invalid,
			`"entities" and "relations" of a graph are lists; the rest was not read`)}
	}
	return im.readItems(ctx, r, kind)
}

// readItems reads the rest of a list. Its items are of a kind, or each names its own.
func (im *importer) readItems(ctx context.Context, r *objectReader, kind string) error {
	for r.dec.More() {
		raw, err := r.value()
		if err != nil {
			return err
		}
		line := r.at(r.dec.InputOffset() - int64(len(raw)))
		im.report.Lines = line
		var item *item
		bad := loci.CheckJSON(raw)
		switch {
		case bad != nil:
		case kind == "":
			item, bad = parseLine(raw)
		default:
			item, bad = parseReference(kind, raw)
		}
		if err := im.take(ctx, line, len(raw), item, bad); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// brokenObject is the error if the rest of an object cannot be read.
type brokenObject struct{ why error }

func (b *brokenObject) Error() string { return b.why.Error() }

// objectReader reads JSON and counts lines.
type objectReader struct {
	in    io.Reader
	dec   *json.Decoder
	read  int64  // bytes
	limit int64  // as far as the decoder may read
	line  int    // of the first byte of ahead
	ahead []byte // read, but not counted
	err   error  // of in
}

// Read implements io.Reader for the decoder.
func (r *objectReader) Read(b []byte) (int, error) {
	if r.read >= r.limit {
		r.err = loci.Errorf(loci.TooLarge, "an item of the import is longer than %d MiB", jsonlines.MaxLine>>20)
		return 0, r.err
	}
	n, err := r.in.Read(b)
	r.read += int64(n)
	r.ahead = append(r.ahead, b[:n]...)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// allow lets the decoder read one more item, however large the file is.
func (r *objectReader) allow() { r.limit = r.dec.InputOffset() + jsonlines.MaxLine }

// at returns the line of an offset. Offsets must not go back.
func (r *objectReader) at(offset int64) int {
	n := max(0, len(r.ahead)-int(r.read-offset))
	r.line += bytes.Count(r.ahead[:n], []byte("\n"))
	r.ahead = append(r.ahead[:0], r.ahead[n:]...)
	return r.line
}

func (r *objectReader) token() (json.Token, error) {
	r.allow()
	t, err := r.dec.Token()
	return t, r.broken(err)
}

func (r *objectReader) value() (json.RawMessage, error) {
	r.allow()
	var raw json.RawMessage
	err := r.dec.Decode(&raw)
	return raw, r.broken(err)
}

// broken distinguishes invalid JSON from a read error.
func (r *objectReader) broken(err error) error {
	switch {
	case err == nil:
		return nil
	case r.err != nil:
		return r.err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &brokenObject{loci.Errorf(loci.Invalid, "the graph is cut off; everything before that was imported")}
	}
	return &brokenObject{loci.WrapError(loci.Invalid, err, "the graph is damaged here: this is not valid JSON. "+
		"Of the rest, only rows that are on one line were imported")}
}

// end reports text after the graph.
func (r *objectReader) end() error {
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return &brokenObject{loci.Errorf(loci.Invalid, "unexpected text after the graph was ignored")}
	}
	return nil
}
