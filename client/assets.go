package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/loci-memory/loci"
)

// AssetList is the attachments of a memory, oldest first.
type AssetList struct {
	Assets []loci.Asset `json:"assets" nullable:"false"`
	More
}

// NewSources lists sources to add to a memory.
type NewSources struct {
	Sources []NewSource `json:"sources" nullable:"false" minItems:"1" maxItems:"50"`
}

// SourceList is the sources of a memory, oldest first.
type SourceList struct {
	Sources []loci.Source `json:"sources" nullable:"false"`
	Hint    string        `json:"hint,omitempty" doc:"After they were added: what happens to secrets in them"`
	More
}

// File is a file to attach.
type File struct {
	Name      string    // required
	MediaType string    // the claimed type; the server checks the bytes
	Size      int64     // in bytes; 0: unknown. If known, the server can reject a large file before it is sent
	Body      io.Reader // required; the call closes it if it is an io.Closer
}

// AddAsset attaches a file to a memory and returns the attachment. If the same credential has
// already attached the same bytes under that name, it returns that attachment. The file is
// streamed. The error has the code TooLarge or Conflict if the file exceeds the org's limits.
func (c *Client) AddAsset(ctx context.Context, id loci.MemoryID, f File) (*loci.Asset, error) {
	path := query("/memories/"+id.String()+"/assets", url.Values{"name": {f.Name}})
	h := http.Header{"Content-Type": {"application/octet-stream"}, "Expect": {"100-continue"}}
	if f.MediaType != "" {
		h.Set("Content-Type", f.MediaType)
	}
	r, err := c.request(ctx, http.MethodPost, path, h, f.Body)
	if err != nil {
		return nil, err
	}
	if f.Size > 0 {
		r.ContentLength = f.Size
	}
	res, err := c.transfer(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var out loci.Asset
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&out); err != nil {
		return nil, fmt.Errorf("POST %s: the answer is not Loci's: %w", path, err)
	}
	return &out, nil
}

// transfer sends a request with a file. Only ctx limits its time. It returns only successful
// answers, whose body the caller must close.
func (c *Client) transfer(r *http.Request) (*http.Response, error) {
	patient := *c.http
	patient.Timeout = 0
	res, err := patient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // if this fails, only text is missing
	return nil, errorOf(res, b)
}

// Assets returns the files of a memory, oldest first.
func (c *Client) Assets(ctx context.Context, id loci.MemoryID) (*AssetList, error) {
	return get[AssetList](ctx, c, "/memories/"+id.String()+"/assets")
}

// Asset returns the description of a file.
func (c *Client) Asset(ctx context.Context, id loci.AssetID) (*loci.Asset, error) {
	return get[loci.Asset](ctx, c, "/assets/"+id.String())
}

// DeleteAsset permanently deletes a file.
func (c *Client) DeleteAsset(ctx context.Context, id loci.AssetID) error {
	return c.do(ctx, http.MethodDelete, "/assets/"+id.String(), nil, nil, nil)
}

// Content is the bytes of a file from Offset on, as a stream.
type Content struct {
	io.ReadCloser
	Name   string
	Size   int64 // number of bytes in the stream; negative: unknown
	Offset int64 // position of the first byte in the file
}

// OpenAsset returns the bytes of a file from offset on. The caller must close them. Use offset to resume an
// interrupted download. The error has the code Invalid if offset is beyond the end of the file.
func (c *Client) OpenAsset(ctx context.Context, id loci.AssetID, offset int64) (*Content, error) {
	var h http.Header
	if offset > 0 {
		h = http.Header{"Range": {"bytes=" + strconv.FormatInt(offset, 10) + "-"}}
	}
	r, err := c.request(ctx, http.MethodGet, "/assets/"+id.String()+"/content", h, nil)
	if err != nil {
		return nil, err
	}
	res, err := c.transfer(r)
	if err != nil {
		return nil, err
	}
	_, params, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	out := &Content{ReadCloser: res.Body, Name: params["filename"], Size: res.ContentLength}
	if res.StatusCode == http.StatusPartialContent {
		out.Offset = offset
	} else if offset > 0 {
		_ = res.Body.Close()
		return nil, fmt.Errorf("the server sent the file from its beginning instead of from byte %d", offset)
	}
	return out, nil
}

// AddSources adds sources to a memory and returns all of its sources.
func (c *Client) AddSources(ctx context.Context, id loci.MemoryID, sources ...NewSource) (*SourceList, error) {
	return send[SourceList](ctx, c, "/memories/"+id.String()+"/sources", NewSources{sources})
}

// Sources returns the sources of a memory.
func (c *Client) Sources(ctx context.Context, id loci.MemoryID) (*SourceList, error) {
	return get[SourceList](ctx, c, "/memories/"+id.String()+"/sources")
}

// DeleteSource permanently deletes a source.
func (c *Client) DeleteSource(ctx context.Context, id loci.SourceID) error {
	return c.do(ctx, http.MethodDelete, "/sources/"+id.String(), nil, nil, nil)
}
