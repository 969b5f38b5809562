package rest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// filesOf returns the sizes of all files below the directory of a store's attachments.
func (s *server) filesOf(tb testing.TB) (sizes []int64) {
	tb.Helper()
	err := filepath.WalkDir(filepath.Join(s.dir(), "assets"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == ".lock" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes = append(sizes, info.Size())
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	return sizes
}

func (s *server) dir() string { return s.store.(*sqlite.Store).Dir() }

// upload sends a file as a body of its own.
func (s *server) upload(key, path, content string, headers ...string) *httptest.ResponseRecorder {
	return s.do("POST", path, key, content, append([]string{"Content-Type: application/octet-stream"}, headers...)...)
}

// form sends a form of parts: a name of the field, one of the file, and what is in it.
func (s *server) form(key, path string, parts [][3]string, headers ...string) *httptest.ResponseRecorder {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		part, _ := w.CreateFormFile(p[0], p[1]) // a Buffer takes everything
		_, _ = io.WriteString(part, p[2])
	}
	_ = w.Close()
	return s.do("POST", path, key, b.String(), append([]string{"Content-Type: " + w.FormDataContentType()}, headers...)...)
}

func (s *server) attach(tb testing.TB, key string, id loci.MemoryID, name, content string) (a loci.Asset) {
	tb.Helper()
	w := s.upload(key, "/memories/"+id.String()+"/assets?name="+name, content)
	if w.Code != 201 {
		tb.Fatalf("attaching %s: got %d %s", name, w.Code, w.Body)
	}
	decode(tb, w, &a)
	return a
}

// watchedBody gives n bytes and looks, whenever it is asked for more, whether
// those before are on the disk already.
type watchedBody struct {
	tb    testing.TB
	s     *server
	n     int64
	given int64
	// looked is how much has to be given until it looks again.
	looked     int64
	head, tail string // what stands around the bytes, of a form
}

// most is how much of a body may be on its way between the connection and the disk.
const most = 128 << 10

func (b *watchedBody) look() {
	b.looked += 1 << 20
	var stored int64
	for _, size := range b.s.filesOf(b.tb) {
		stored += size
	}
	if stored+most < b.given {
		b.tb.Fatalf("%d bytes were read and %d are on the disk: the body is held in memory", b.given, stored)
	}
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.head != "" {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	if b.given >= b.looked {
		b.look()
	}
	if left := b.n - b.given; left > 0 {
		n := int(min(int64(len(p)), left))
		clear(p[:n])
		b.given += int64(n)
		return n, nil
	}
	if b.tail == "" {
		return 0, io.EOF
	}
	n := copy(p, b.tail)
	b.tail = b.tail[n:]
	return n, nil
}

// An upload of 25 MiB goes to the disk as it comes, in either form. The bound is half of it, as other connections of
// the store may grow meanwhile.
func TestUploadsAreNotHeldInMemory(t *testing.T) {
	s := newServer(t)
	const size = 25 << 20
	for name, form := range map[string]bool{"a body": false, "a form": true} {
		m := s.write(t, owner, `{"title":"`+name+`","content":"y"}`)
		body := &watchedBody{tb: t, s: s, n: size}
		kind := "application/octet-stream"
		if form {
			kind = "multipart/form-data; boundary=xyz"
			body.head = "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"big\"\r\n\r\n"
			body.tail = "\r\n--xyz--\r\n"
		}
		r := httptest.NewRequest(http.MethodPost, "/memories/"+m.ID.String()+"/assets?name="+strings.ReplaceAll(name,
			" ", "-"), body)
		r.Host, r.ContentLength = "127.0.0.1:5624", -1
		r.Header.Set("Content-Type", kind)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := s.send(r, owner)
		runtime.ReadMemStats(&after)
		if w.Code != 201 || body.given != size {
			t.Fatalf("%s: got %d %s after %d bytes", name, w.Code, w.Body, body.given)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > size/2 {
			t.Errorf("%s: %d bytes were allocated for an upload of %d", name, took, size)
		}
		var a loci.Asset
		decode(t, w, &a)
		if sum := sha256.Sum256(make([]byte, size)); a.Size != size || a.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: got %+v", name, a)
		}
		if err := s.app.Memory.Erase(t.Context(), s.owner, m.ID, 0); err != nil {
			t.Fatal(err)
		}
		s.sweep(t)
	}
}

// sweep does what a day later the maintainer does.
func (s *server) sweep(tb testing.TB) {
	tb.Helper()
	if _, err := s.store.Blobs().Sweep(context.Background(), loci.DefaultOrg, s.clock.Now().Add(time.Hour)); err != nil {
		tb.Fatal(err)
	}
}

// A client that hangs up in the middle leaves no file and no row.
func TestHangingUpLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	for name, request := range map[string]string{
		"with a length": "Content-Length: 1000000\r\nContent-Type: text/plain\r\n\r\n" + strings.Repeat("x", 300_000),
		"in chunks":     "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\nffff\r\nabc",
		"in a form": "Content-Length: 1000000\r\nContent-Type: multipart/form-data; " +
			"boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n" +
			strings.Repeat("x", 300_000),
		"a form that ends early": "Content-Length: 92\r\nContent-Type: multipart/form-data; " +
			"boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; " +
			"filename=\"f\"\r\n\r\nabcdefghijklmnopqrstuvwxyz",
	} {
		h := httptest.NewServer(s)
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(c, "POST /memories/"+m.ID.String()+"/assets?name=x HTTP/1.1\r\nHost: "+
			"127.0.0.1\r\nAuthorization: Bearer "+owner+"\r\n"+request)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(c)
		_ = c.Close()
		h.Close() // waits for the request
		// Whether the end of the body or that of the connection is seen first, differs.
		if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") && !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") {
			t.Errorf("%s: got %s", name, answer)
		}
		if left := s.filesOf(t); len(left) != 0 {
			t.Errorf("%s: files are left: %v", name, left)
		}
	}
	if w := s.do("GET", "/memories/"+m.ID.String()+"/assets", owner,
		""); w.Body.String() != `{"assets":[],"has_more":false,"next_cursor":""}`+"\n" {
		t.Errorf("got %s", w.Body)
	}
}

// untouched is a body that must not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// What can be refused before a byte comes is.
func TestRefusedUploadsAreNotRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	mine := s.write(t, owner, `{"title":"x","content":"y","allowed_vendors":["claude"]}`)
	for _, tt := range []struct {
		name, key, path string
		size            int64
		header          string
		status          int
	}{
		{"too large", owner, "/memories/" + mine.ID.String() + "/assets?name=x", 25<<20 + 1, "", 413},
		{"no such memory", owner, "/memories/" + absent + "/assets?name=x", 10, "", 404},
		{"a hidden memory", cursor, "/memories/" + mine.ID.String() + "/assets?name=x", 10, "", 404},
		{"another origin's", claude, "/memories/" + mine.ID.String() + "/assets?name=x", 10, "", 403},
		{"no key", "", "/memories/" + mine.ID.String() + "/assets?name=x", 10, "", 401},
		{"compressed", owner, "/memories/" + mine.ID.String() + "/assets?name=x", 10, "Content-Encoding: gzip", 415},
		{"no name", owner, "/memories/" + mine.ID.String() + "/assets", 10, "", 400},
		{"a bad name", owner, "/memories/" + mine.ID.String() + "/assets?name=..", 10, "", 400},
		{"a bad disposition", owner, "/memories/" + mine.ID.String() + "/assets", 10, "Content-Disposition: ;", 400},
		{"an unknown parameter", owner, "/memories/" + mine.ID.String() + "/assets?nam=x", 10, "", 400},
	} {
		r := httptest.NewRequest(http.MethodPost, tt.path, untouched{t})
		r.Host, r.ContentLength = "127.0.0.1:5624", tt.size
		if name, value, ok := strings.Cut(tt.header, ": "); ok {
			r.Header.Set(name, value)
		}
		w := s.send(r, tt.key)
		if w.Code != tt.status || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %s, want %d", tt.name, w.Code, w.Body, tt.status)
		}
		if tt.status == 413 && !strings.Contains(w.Body.String(), "at most 26214400 bytes") {
			t.Errorf("the limit is not named: %s", w.Body)
		}
	}
	if files := s.filesOf(t); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

func TestBadForms(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	path := "/memories/" + m.ID.String() + "/assets"
	for name, w := range map[string]*httptest.ResponseRecorder{
		"no part":       s.form(owner, path, nil),
		"another field": s.form(owner, path, [][3]string{{"upload", "a.txt", "x"}}),
		"two files":     s.form(owner, path, [][3]string{{"file", "a.txt", "x"}, {"file", "b.txt", "y"}}),
		"no name of the file": s.do("POST", path, owner,
			"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--\r\n",
			"Content-Type: multipart/form-data; boundary=b"),
		"no boundary":         s.do("POST", path, owner, "x", "Content-Type: multipart/form-data"),
		"nothing like a form": s.do("POST", path, owner, "x", "Content-Type: multipart/form-data; boundary=b"),
		"much before the file": s.do("POST", path, owner, strings.Repeat("x",
			100_000)+"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx\r\n--b--",
			"Content-Type: multipart/form-data; boundary=b"),
		"much behind the file": s.do("POST", path, owner,
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx\r\n--b--"+strings.Repeat("x",
				100_000), "Content-Type: multipart/form-data; boundary=b"),
		"a large header in it": s.do("POST", path, owner, "--b\r\nX-Y: "+strings.Repeat("x",
			100_000)+"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx\r\n--b--",
			"Content-Type: multipart/form-data; boundary=b"),
		"a name that is none":     s.form(owner, path, [][3]string{{"file", "..", "x"}}),
		"more than the org takes": s.form(owner, path, [][3]string{{"file", "a", strings.Repeat("x", 25<<20+1)}}),
	} {
		want := 400
		if strings.HasPrefix(name, "more") {
			want = 413
		}
		if w.Code != want {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, want)
		}
	}
	if files := s.filesOf(t); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
	var a loci.Asset
	decode(t, s.form(owner, path, [][3]string{{"file", `C:\fakepath\a.txt`, "x"}}), &a)
	if a.Name != "a.txt" || a.Size != 1 {
		t.Errorf("got %+v", a)
	}
}

// fullDisk is a store whose disk takes no more files.
type fullDisk struct{ store.Store }

type fullBlobs struct{ store.Blobs }

func (f fullDisk) Blobs() store.Blobs { return fullBlobs{f.Store.Blobs()} }

func (fullBlobs) Put(_ context.Context, _ loci.OrgID, r io.Reader, _ int64) (sum [32]byte, n int64, err error) {
	n, _ = io.Copy(io.Discard, r)
	return sum, n, loci.Errorf(loci.Full, "the disk is full; nothing was written")
}

func TestUploadToAFullDisk(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Store = fullDisk{o.Store} })
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	w := s.upload(owner, "/memories/"+m.ID.String()+"/assets?name=x", "some bytes")
	if w.Code != 507 || !strings.Contains(w.Body.String(), `"code":"storage_full"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// slowConnection notes how long it is waited for, and gives its body in pieces; then it stops.
type slowConnection struct {
	*httptest.ResponseRecorder
	left      int
	deadlines []time.Time
}

func (c *slowConnection) SetReadDeadline(at time.Time) error {
	c.deadlines = append(c.deadlines, at)
	return nil
}

func (c *slowConnection) SetWriteDeadline(time.Time) error { return nil }

func (c *slowConnection) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded)
	}
	n := min(len(b), c.left)
	c.left -= n
	return n, nil
}

// Whoever makes way is waited for; whoever does not is told so, and the connection ends.
func TestSlowUploads(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	c := &slowConnection{ResponseRecorder: httptest.NewRecorder(), left: 10 << 20}
	r := httptest.NewRequest(http.MethodPost, "/memories/"+m.ID.String()+"/assets?name=x", c)
	r.Host, r.ContentLength = "127.0.0.1:5624", 20<<20
	r.Header.Set("Authorization", "Bearer "+owner)
	begin := time.Now()
	s.ServeHTTP(c, r)
	if c.Code != 408 || !strings.Contains(c.Body.String(), "did not arrive in time") {
		t.Errorf("got %d %s", c.Code, c.Body)
	}
	n := len(c.deadlines)
	if n < 3 {
		t.Fatalf("deadlines %v", c.deadlines)
	}
	first, last, end := c.deadlines[0].Sub(begin), c.deadlines[n-2].Sub(begin), c.deadlines[n-1].Sub(begin)
	if first < 20*time.Second || first > time.Minute || last < first+5*time.Minute || end > time.Minute {
		t.Errorf("at first %v, after 10 MiB %v, after the refusal %v", first, last, end)
	}
	if files := s.filesOf(t); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

// Loci recognises a repetition, though the boundary of a form differs each time.
func TestUploadUnderAKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	path := "/memories/" + m.ID.String() + "/assets"
	first := s.form(owner, path, [][3]string{{"file", "a.txt", "abc"}}, "Idempotency-Key: k1")
	again := s.form(owner, path, [][3]string{{"file", "a.txt", "abc"}}, "Idempotency-Key: k1")
	replayed(t, first, again)
	if w := s.form(owner, path, [][3]string{{"file", "a.txt", "other"}}, "Idempotency-Key: k1"); w.Code != 409 {
		t.Errorf("another file: got %d %s", w.Code, w.Body)
	}
	body := `{"sources":[{"kind":"text","text":"abc"}]}`
	one := s.do("POST", "/memories/"+m.ID.String()+"/sources", owner, body, "Idempotency-Key: k2")
	two := s.do("POST", "/memories/"+m.ID.String()+"/sources", owner, body, "Idempotency-Key: k2")
	replayed(t, one, two)
	for range 2 { // it is there
		if w := s.do("POST", "/memories/"+m.ID.String()+"/sources", owner, body, "Idempotency-Key: k3"); w.Code != 200 {
			t.Errorf("the same under another key: got %d %s", w.Code, w.Body)
		}
		if w := s.form(owner, path, [][3]string{{"file", "a.txt", "abc"}}, "Idempotency-Key: k4"); w.Code != 200 {
			t.Errorf("the same file under another key: got %d %s", w.Code, w.Body)
		}
	}
}

func TestOrgsSayWhatMayBeAttached(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	boss := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	var org loci.Org
	decode(t, s.expect(t, 200, boss,
		`PATCH /orgs/default {"assets":{"max_bytes":5,"media_types":["image/*","text/plain"]}}`), &org)
	if org.Assets.MaxBytes != 5 || strings.Join(org.Assets.MediaTypes, " ") != "image/* text/plain" {
		t.Errorf("got %+v", org.Assets)
	}
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	path := "/memories/" + m.ID.String() + "/assets?name=x"
	if w := s.upload(owner, path, "123456"); w.Code != 413 || !strings.Contains(w.Body.String(), "at most 5 bytes") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := s.upload(owner, path, "%PDF-"); w.Code != 400 || !strings.Contains(w.Body.String(), `"field":"media_type"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	s.expect(t, 200, boss, `PATCH /orgs/default {"assets":{"max_bytes":0,"media_types":[],"total_bytes":9}}`)
	s.attach(t, owner, m.ID, "y", "12345")
	if w := s.upload(owner, path, "12345"); w.Code != 409 || !strings.Contains(w.Body.String(), "9 bytes together") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	for request, field := range map[string]string{
		`PATCH /orgs/default {"assets":{"max_bytes":-1}}`:          "assets.max_bytes",
		`PATCH /orgs/default {"assets":{"media_types":["image"]}}`: "assets.media_types[0]",
		`PATCH /orgs/default {"assets":{"size":1}}`:                "assets.size",
	} {
		var p client.Problem
		w := s.expect(t, 400, boss, request)
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Field != field {
			t.Errorf("%s: got %s", request, w.Body)
		}
	}
	s.expect(t, 403, owner, `PATCH /orgs/default {"assets":{"max_bytes":5}}`) // a key is no fresh proof
}

// Uploads have a limit of their own besides that of all requests.
func TestUploadsAreCounted(t *testing.T) {
	t.Parallel()
	s := limited(t, 1000, 1000)
	codes := map[int]int{}
	for range 125 {
		codes[s.upload(owner, "/memories/"+absent+"/assets?name=x", "x").Code]++
	}
	if codes[http.StatusNotFound] != 120 || codes[http.StatusTooManyRequests] != 5 {
		t.Errorf("got %v, want 120 answers and 5 refusals", codes)
	}
}
