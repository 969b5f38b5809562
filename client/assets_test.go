package client_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestFiles(t *testing.T) {
	ctx := t.Context()
	c := client.New(newServer(t), "owner")
	m := must(c.Create(ctx, client.NewMemory{Title: "x", Content: "y"}))(t)
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
	r, w := io.Pipe()
	go func() {
		_, err := w.Write(content)
		w.CloseWithError(err)
	}()
	a := must(c.AddAsset(ctx, m.ID, client.File{Name: "zoë & co.txt", MediaType: "text/markdown", Body: r}))(t)
	if a.Name != "zoë & co.txt" || a.Size != int64(len(content)) || a.MediaType != "text/markdown; charset=utf-8" {
		t.Errorf("AddAsset: got %+v", a)
	}
	again := must(c.AddAsset(ctx, m.ID, client.File{Name: a.Name, Size: a.Size, Body: bytes.NewReader(content)}))(t)
	if diff := cmp.Diff(a, again); diff != "" {
		t.Errorf("the same again (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff([]loci.Asset{*a}, must(c.Assets(ctx, m.ID))(t).Assets); diff != "" {
		t.Errorf("Assets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(a, must(c.Asset(ctx, a.ID))(t)); diff != "" {
		t.Errorf("Asset (-want +got):\n%s", diff)
	}
	for _, offset := range []int64{0, 1, int64(len(content)) - 3} {
		got := must(c.OpenAsset(ctx, a.ID, offset))(t)
		text, err := io.ReadAll(got)
		if err := errors.Join(err, got.Close()); err != nil || !bytes.Equal(text, content[offset:]) || got.Name != a.Name ||
			got.Offset != offset || got.Size != int64(len(text)) {
			t.Errorf("OpenAsset from %d: %d bytes of %q from %d, %v", offset, len(text), got.Name, got.Offset, err)
		}
	}
	if _, err := c.OpenAsset(ctx, a.ID, a.Size); client.CodeOf(err) != loci.Invalid {
		t.Errorf("behind the end: %v", err)
	}
	if _, err := c.AddAsset(ctx, m.ID, client.File{Name: "large", Size: 26 << 20,
		Body: unread{t}}); client.CodeOf(err) != loci.TooLarge {
		t.Errorf("too large: %v", err)
	}
	if err := c.DeleteAsset(ctx, a.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.OpenAsset(ctx, a.ID, 0); client.CodeOf(err) != loci.NotFound {
		t.Errorf("deleted: %v", err)
	}
}

func TestSources(t *testing.T) {
	ctx := t.Context()
	c := client.New(newServer(t), "owner")
	m := must(c.Create(ctx, client.NewMemory{Title: "x", Content: "y"}))(t)
	want := client.NewSource{Kind: loci.SourceURL, Ref: "https://example.com/", Quote: "so"}
	list := must(c.AddSources(ctx, m.ID, want, client.NewSource{Kind: loci.SourceText, Text: "the text", Quote: "text",
		Start: 4, End: 8}))(t)
	if len(list.Sources) != 2 || list.Sources[0].Ref != want.Ref || list.Sources[0].Origin != "api" {
		t.Fatalf("AddSources: got %+v", list)
	}
	if err := c.DeleteSource(ctx, list.Sources[0].ID); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(list.Sources[1:], must(c.Sources(ctx, m.ID))(t).Sources); diff != "" {
		t.Errorf("Sources (-want +got):\n%s", diff)
	}
	_, err := c.AddSources(ctx, m.ID, client.NewSource{Kind: loci.SourceURL, Ref: "x"})
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Field != "sources[0].ref" || !strings.Contains(refused.Text, "https://") {
		t.Errorf("got %v", err)
	}
}
