package main

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/loci-memory/loci"
)

// TestPlainText reads what editors and shells write.
func TestPlainText(t *testing.T) {
	wide := func(text string, order ...int) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			pair := [2]byte{byte(unit), byte(unit >> 8)}
			for _, i := range order {
				b.WriteByte(pair[i])
			}
		}
		return b.String()
	}
	const text = "{\"a\": \"Grüße 👋\"}\r\n"
	for name, tt := range map[string]struct{ in, want string }{
		"empty":               {"", ""},
		"one byte":            {"x", "x"},
		"UTF-8":               {text, text},
		"UTF-8 with a mark":   {"\ufeff" + text, text},
		"only a mark":         {"\ufeff", ""},
		"a mark later":        {"a\ufeff", "a\ufeff"},
		"UTF-16LE":            {wide("\ufeff"+text, 0, 1), text},
		"UTF-16BE":            {wide("\ufeff"+text, 1, 0), text},
		"UTF-16 without mark": {wide(text, 0, 1), "refused"},
		"big-endian":          {wide(text, 1, 0), "refused"},
		"UTF-32":              {"\xff\xfe\x00\x00x\x00\x00\x00", "refused"},
	} {
		for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := io.ReadAll(plainText(in))
			if tt.want == "refused" {
				if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "save it as UTF-8") {
					t.Errorf("%s: got %q, %v", name, got, err)
				}
			} else if err != nil || string(got) != tt.want {
				t.Errorf("%s: got %q, %v; want %q", name, got, err, tt.want)
			}
		}
	}
}

// TestPlainTextIsNotDelayed gives a server over standard input each message as it comes.
func TestPlainTextIsNotDelayed(t *testing.T) {
	in, client := io.Pipe()
	go func() { _, _ = io.WriteString(client, "{\"id\":1}\n") }()
	b := make([]byte, 100)
	if n, err := plainText(in).Read(b); err != nil || string(b[:n]) != "{\"id\":1}\n" {
		t.Errorf("got %q, %v", b[:n], err)
	}
}

// TestBadTextIsTheContent adds a first line with invalid UTF-8. The error must be about the content, not the title.
func TestBadTextIsTheContent(t *testing.T) {
	t.Parallel()
	cmd := lociCommand(t, t.TempDir(), "add")
	cmd.Stdin = strings.NewReader("odd \xff\xfe bytes\n")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "content is not valid UTF-8") {
		t.Errorf("got %v, %s", err, out)
	}
}
