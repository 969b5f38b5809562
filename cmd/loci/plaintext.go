package main

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/loci-memory/loci"
)

// plainText returns the text of a file or of standard input as UTF-8, without a byte order mark. It decodes UTF-16 with
// such a mark, as programs of Windows write it. Every command reads text through it.
func plainText(r io.Reader) io.Reader {
	return &textReader{in: bufio.NewReaderSize(r, 64<<10)}
}

type textReader struct {
	in   *bufio.Reader
	text io.Reader // nil: not read yet
}

func (t *textReader) Read(b []byte) (int, error) {
	if t.text == nil {
		head, _ := t.in.Peek(4) // an error comes again with the text
		starts := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
		var text io.Reader = t.in
		switch {
		case starts("\xff\xfe\x00\x00"), starts("\x00"):
			return 0, loci.Errorf(loci.Invalid, "the text is not in UTF-8; save it as UTF-8")
		case starts("\xff\xfe"), starts("\xfe\xff"):
			text = transform.NewReader(t.in, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
		case starts("\ufeff"):
			_, _ = t.in.Discard(len("\ufeff"))
		case bytes.IndexByte(head, 0) == 1: // UTF-16 without a mark
			return 0, loci.Errorf(loci.Invalid, "the text is in UTF-16 without a byte order mark; save it as UTF-8")
		}
		t.text = text
	}
	return t.text.Read(b)
}

func (p *program) openText(ctx context.Context, name string) (r io.ReadCloser, size int64, err error) {
	f, size, err := p.openFile(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return struct {
		io.Reader
		io.Closer
	}{plainText(f), f}, size, nil
}
