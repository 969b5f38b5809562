package rest

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

const (
	binaryType = "application/octet-stream"
	formType   = "multipart/form-data"
)

// maxPartHeader is how many bytes a form may have besides the file.
const maxPartHeader = 64 << 10

// incoming is the body of a request that is read as it arrives.
type incoming struct{ request *http.Request }

// errSlow is the error for a body that arrives too slowly.
var errSlow error = problemOf(http.StatusRequestTimeout, string(loci.Invalid), "", bodyTooSlow)

const bodyTooSlow = "the body did not arrive in time; send it again"

// Read returns connection errors with a text for the sender.
func (in *incoming) Read(b []byte) (int, error) {
	n, err := in.request.Body.Read(b)
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSlow
	default:
		err = loci.WrapError(loci.Invalid, err, "the body ended early; send it again")
	}
	return n, err
}

// uploadOf finds the file in a request: the body itself, or the one file of a form. It stops
// reading where the file begins.
func uploadOf(in *incoming, name string) (memory.Upload, error) {
	r := in.request
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == formType {
		return fileOfForm(in, params["boundary"], name)
	}
	if name == "" {
		if name, err = fileName(r.Header.Get("Content-Disposition")); err != nil {
			return memory.Upload{}, err
		}
	}
	return named(memory.Upload{Name: name, MediaType: r.Header.Get("Content-Type"), Size: r.ContentLength, Body: in})
}

// fileName returns the file name in Content-Disposition, or "".
func fileName(header string) (string, error) {
	if header == "" {
		return "", nil
	}
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return "", loci.FieldErrorf("Content-Disposition", `must be like attachment; filename="notes.txt"`)
	}
	return params["filename"], nil
}

func named(u memory.Upload) (memory.Upload, error) {
	if u.Name == "" {
		return u, loci.FieldErrorf("name", "is required: send ?name=notes.txt, or the header Content-Disposition: "+
			"attachment; filename=\"notes.txt\"")
	}
	return u, nil
}

func fileOfForm(in *incoming, boundary, name string) (memory.Upload, error) {
	if boundary == "" {
		return memory.Upload{}, loci.FieldErrorf("Content-Type", "must state the boundary of the form")
	}
	around := &bounded{r: in, left: maxPartHeader}
	form := multipart.NewReader(around, boundary)
	part, err := form.NextPart()
	switch {
	case err != nil:
		return memory.Upload{}, noFile(err)
	case part.FormName() != "file" || part.FileName() == "":
		return memory.Upload{}, loci.Errorf(loci.Invalid, "the form must have one part, a file called \"file\"")
	}
	if name == "" {
		name = part.FileName()
		name = name[strings.LastIndexByte(name, '\\')+1:]
	}
	around.left = -1
	return named(memory.Upload{Name: name, MediaType: part.Header.Get("Content-Type"), Size: -1, Body: &lastPart{form,
		part, around}})
}

// noFile turns the error of a malformed form into an answer.
func noFile(err error) error {
	if p := (*problem)(nil); loci.CodeOf(err) != "" || errors.As(err, &p) {
		return err
	}
	return loci.WrapError(loci.Invalid, err, "the form ended early or cannot be read; it must have one part, a "+
		"file called \"file\"")
}

type lastPart struct {
	form   *multipart.Reader
	part   *multipart.Part
	around *bounded
}

// Read fails at the end if another part follows.
func (l *lastPart) Read(b []byte) (int, error) {
	n, err := l.part.Read(b)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, noFile(err)
	}
	l.around.left = maxPartHeader
	switch _, err := l.form.NextPart(); {
	case errors.Is(err, io.EOF):
		_, err = io.Copy(io.Discard, l.around) // everything after the last boundary
		if err == nil {
			err = io.EOF
		}
		return n, err
	case err != nil:
		return n, noFile(err)
	}
	return n, loci.Errorf(loci.Invalid, "the form must have exactly one part, a file called \"file\"; send each file "+
		"by itself")
}

// bounded is a reader that fails after left bytes; below 0: never.
type bounded struct {
	r    io.Reader
	left int
}

// Read returns Invalid if the form has too many bytes besides the file.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, loci.Errorf(loci.Invalid, "the form has more than %d bytes around the file", maxPartHeader)
	}
	if b.left > 0 && len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	if b.left > 0 {
		b.left -= n
	}
	return n, err
}

// inertTypes are sent with their own type, because a browser neither runs nor renders them. All
// other files are sent as bytes, so that no page can use a file as its script or style.
var inertTypes = map[string]bool{
	"text/plain": true, "text/csv": true, "text/markdown": true, "application/json": true,
	"application/x-ndjson": true, "application/pdf": true,
	"application/zip": true, "application/gzip": true, "application/x-gzip": true, "application/x-tar": true,
	"application/x-7z-compressed": true,
	"application/vnd.sqlite3":     true, "application/msword": true, "application/rtf": true,
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true,
	"image/heic": true, "image/heif": true,
	"image/bmp": true, "image/tiff": true, "image/jxl": true, "image/jp2": true,
}

func sentAs(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	family, sub, _ := strings.Cut(kind, "/")
	if inertTypes[kind] || family == "audio" || family == "video" ||
		family == "application" && strings.HasPrefix(sub, "vnd.openxmlformats-officedocument.") || strings.HasPrefix(sub,
		"vnd.oasis.opendocument.") {
		return mediaType
	}
	return binaryType
}

// attachmentHeaders make a browser save a file instead of showing it.
func attachmentHeaders(h http.Header, name, mediaType string) {
	h.Set("Content-Type", sentAs(mediaType))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
