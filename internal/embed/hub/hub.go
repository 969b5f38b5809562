// Package hub brings models of embeddings into a folder of this machine: from a hub with the API of Hugging Face, or
// from another folder. It never runs what it downloads. A model appears under its name only once all of its files are
// whole and can be read as a model.
package hub

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // see isBlob
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
)

// DefaultHub is where models come from unless the operator names another hub.
const DefaultHub = "https://huggingface.co"

// wanted are the files of a model, of which the last needed must be there.
var wanted, needed = embed.Files()

// terms say what one may do with a model. They may be missing.
var terms = []string{"README.md", "LICENSE", "LICENSE.md", "LICENSE.txt"}

// maxFile is how many bytes of a file a hub may send.
const maxFile = 4 << 30

// nested is a folder in which models of sentence-transformers may have their files.
const nested = "0_StaticEmbedding"

// manifestFile is what Loci knows of a model that it has brought.
const manifestFile = "loci-model.json"

// partSuffix ends the name of a folder that is not complete.
const partSuffix = ".part"

// oldSuffix ends the name of a folder that another one replaces.
const oldSuffix = ".old" + partSuffix

// Manifest is what Loci knows of a model in its folder.
type Manifest struct {
	Source   string            `json:"source"` // the repository, or the folder
	Revision string            `json:"revision,omitempty"`
	Dims     int               `json:"dimensions"`
	SHA256   map[string]string `json:"sha256"` // of each file
}

// Options say what to pull.
type Options struct {
	Dir      string // the folder of all models
	Name     string // of the model in Dir; default: the last part of the source
	Revision string // of a repository; default main
	SHA256   string // of model.safetensors; "": what the hub says
	Hub      string // default DefaultHub
	// Patience is how long a hub may take for the next bytes; default 30 s.
	Patience time.Duration
}

var (
	names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	repos = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	sums  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// CheckName returns Invalid for a name that cannot be that of a folder in Dir. Some names mean something else.
func CheckName(name string) error {
	if slices.Contains([]string{embed.Off, embed.BuiltIn, "in-use"}, name) {
		return loci.FieldErrorf("name", "must not be %s, which is not the name of a model in a folder", name)
	}
	if !names.MatchString(name) || strings.HasSuffix(name, partSuffix) {
		return loci.FieldErrorf("name", "must be 1 to 100 letters, digits and any of . _ -, and begin with a letter or digit")
	}
	return nil
}

// name sets the name of the model if there is none, and checks it and the sum.
func (o *Options) name(source string) error {
	o.SHA256 = strings.ToLower(o.SHA256)
	if o.SHA256 != "" && !sums.MatchString(o.SHA256) {
		return loci.FieldErrorf("sha256", "must be 64 digits from 0 to f")
	}
	if o.Name == "" {
		o.Name = filepath.Base(strings.TrimRight(filepath.ToSlash(source), "/"))
	}
	return CheckName(o.Name)
}

// begin makes the folder into which the files come first. What an interrupted call has left there stays if it is of the
// same revision: files of two revisions would make one model that is wrong and looks whole.
func (o *Options) begin(m Manifest) (part string, err error) {
	part = filepath.Join(o.Dir, o.Name+partSuffix)
	if left := readManifest(part); m.Revision == "" || left.Source != m.Source || left.Revision != m.Revision {
		if err := os.RemoveAll(part); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(part, 0o700); err != nil {
		return "", err
	}
	return part, m.write(part)
}

// readManifest returns the manifest of a folder, or an empty one.
func readManifest(dir string) (m Manifest) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Manifest{}
	}
	return m
}

func (m *Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o600)
}

// finish checks the files in part and gives the folder its name. It removes files that are no model: another call would
// bring the same ones.
func (o *Options) finish(part string, m Manifest) (err error) {
	model, err := embed.Open(part, embed.Prompts{})
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	m.Dims = model.Dims()
	if err := m.write(part); err != nil {
		return err
	}
	final := filepath.Join(o.Dir, o.Name)
	old := final + oldSuffix
	if err := os.RemoveAll(old); err != nil { // of a call that was killed here
		return err
	}
	if err := os.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(part, final); err != nil {
		return errors.Join(err, os.Rename(old, final))
	}
	return os.RemoveAll(old)
}

// Copy brings a model from another folder.
func Copy(ctx context.Context, from string, o Options) (name string, err error) {
	from, err = filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if _, err := embed.Open(from, embed.Prompts{}); err != nil {
		return "", err
	}
	if err := o.name(from); err != nil {
		return "", err
	}
	m := Manifest{Source: from, SHA256: map[string]string{}}
	part, err := o.begin(m)
	if err != nil {
		return "", err
	}
	at := from
	if _, err := os.Stat(filepath.Join(from, nested)); err == nil {
		at = filepath.Join(from, nested)
	}
	for _, file := range slices.Concat(wanted, terms) {
		data, err := os.ReadFile(filepath.Join(at, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // Open has found what it needs
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(part, file)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(part, file), data, 0o600)
		}
		if err != nil {
			return "", errors.Join(err, os.RemoveAll(part))
		}
		sum := sha256.Sum256(data)
		m.SHA256[file] = hex.EncodeToString(sum[:])
	}
	if o.SHA256 != "" && m.SHA256["model.safetensors"] != o.SHA256 {
		return "", errors.Join(wrongSum("model.safetensors"), os.RemoveAll(part))
	}
	return o.Name, o.finish(part, m)
}

func wrongSum(file string) error {
	return loci.Errorf(loci.Invalid, "%s has another SHA-256 than it should; pull it again", file)
}

// Pull brings a model from a hub. It tells loci.ReportProgress how far it is. If it is interrupted, the next call goes
// on where it stopped. Upstream if the hub fails, NotFound if it does not have the model.
func Pull(ctx context.Context, repo string, o Options) (name string, err error) {
	o.Hub = cmp.Or(o.Hub, DefaultHub)
	o.Revision = cmp.Or(o.Revision, "main")
	if o.Patience <= 0 {
		o.Patience = patience
	}
	h, err := newHub(o.Hub, o.Patience)
	if err != nil {
		return "", err
	}
	if !repos.MatchString(repo) {
		return "", loci.FieldErrorf("model", "must be a repository, such as %s, or a folder that exists", DefaultModel)
	}
	if err := o.name(repo); err != nil {
		return "", err
	}
	list, revision, err := h.files(ctx, repo, o.Revision)
	if err != nil {
		return "", err
	}
	m := Manifest{Source: repo, Revision: revision, SHA256: map[string]string{}}
	part, err := o.begin(m)
	if err != nil {
		return "", err
	}
	for _, f := range list {
		if f.file() == "model.safetensors" && o.SHA256 != "" {
			f.LFS.SHA256 = o.SHA256
		}
		address := h.address + "/" + repo + "/resolve/" + revision + "/" + f.Name
		sum, err := h.download(ctx, address, filepath.Join(part, f.file()), f)
		if err != nil {
			return "", err
		}
		m.SHA256[f.file()] = sum
	}
	return o.Name, o.finish(part, m)
}

type hubAt struct {
	address  string
	client   *http.Client
	patience time.Duration
}

// newHub returns Invalid if the address is neither https nor on this machine.
func newHub(address string, patience time.Duration) (*hubAt, error) {
	u, err := url.Parse(address)
	local := err == nil && u.Scheme == "http" && slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, u.Hostname())
	if err != nil || u.Host == "" || u.Scheme != "https" && !local {
		return nil, loci.FieldErrorf("models.hub", "must be an https address, like %s", DefaultHub)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.ResponseHeaderTimeout = patience
	client := &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 10 || r.URL.Scheme != "https" && !local {
			return errors.New("the hub redirects to an address that is not https")
		}
		return nil
	}}
	return &hubAt{strings.TrimRight(address, "/"), client, patience}, nil
}

// remoteFile is a file as a hub describes it.
type remoteFile struct {
	Name string `json:"rfilename"`
	Size int64  `json:"size"`
	Blob string `json:"blobId"` // the name that git has for it
	LFS  struct {
		SHA256 string `json:"sha256"`
	} `json:"lfs"`
}

// file returns the name without the folder.
func (f *remoteFile) file() string { return strings.TrimPrefix(f.Name, nested+"/") }

// patience is how long a hub may take for the next bytes.
const patience = 30 * time.Second

func (h *hubAt) get(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header
	res, err := h.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, loci.WrapError(loci.Upstream, err, "the hub %s cannot be reached; check the network, or pull a folder",
			h.address)
	}
	return res, nil
}

// files returns the wanted files of a repository, and the revision as the hub names it.
func (h *hubAt) files(ctx context.Context, repo, revision string) (list []remoteFile, _ string, err error) {
	address := h.address + "/api/models/" + repo + "/revision/" + url.PathEscape(revision) + "?blobs=true"
	res, err := h.get(ctx, address, http.Header{})
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, "", h.refused(res, repo)
	}
	var answer struct {
		SHA      string       `json:"sha"`
		Siblings []remoteFile `json:"siblings"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, 16<<20)).Decode(&answer)
	if err != nil || !names.MatchString(answer.SHA) {
		return nil, "", loci.WrapError(loci.Upstream, err, "the hub %s does not answer like a hub of models", h.address)
	}
	for _, folder := range []string{"", nested + "/"} {
		find := func(folder, name string) bool {
			at := slices.IndexFunc(answer.Siblings, func(f remoteFile) bool { return f.Name == folder+name })
			if at >= 0 {
				list = append(list, answer.Siblings[at])
			}
			return at >= 0
		}
		list = nil
		missing := 0
		for i, name := range wanted {
			if !find(folder, name) && i >= len(wanted)-needed {
				missing++
			}
		}
		if missing == 0 {
			for _, name := range terms {
				find("", name)
			}
			return list, answer.SHA, nil
		}
	}
	return nil, "", loci.Errorf(loci.Invalid, "%s has no model.safetensors and tokenizer.json; choose another model, "+
		"such as %s", repo, DefaultModel)
}

func (h *hubAt) refused(res *http.Response, what string) error {
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return loci.Errorf(loci.NotFound, "the hub %s has no public model %s; check its name", h.address, what)
	}
	return loci.Errorf(loci.Upstream, "the hub %s failed for %s (HTTP status %d); try again", h.address, what,
		res.StatusCode)
}

// download brings a file to a path, and returns its SHA-256. What an interrupted download has left stays, and the next
// one asks for the rest.
func (h *hubAt) download(ctx context.Context, address, path string, f remoteFile) (sum string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	hash := sha256.New()
	have, err := io.Copy(hash, out)
	if err != nil {
		return "", err
	}
	if f.Size > 0 && have < f.Size || f.Size == 0 {
		if have, err = h.rest(ctx, address, out, have, f); err != nil {
			return "", err
		}
		hash.Reset()
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		if _, err := io.Copy(hash, out); err != nil {
			return "", err
		}
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	isRight := f.LFS.SHA256 == "" || sum == f.LFS.SHA256
	if f.LFS.SHA256 == "" && len(f.Blob) == 2*sha1.Size {
		isRight, err = f.isBlob(out, have)
	}
	if err == nil && (!isRight || f.Size > 0 && have != f.Size) {
		err = errors.Join(wrongSum(f.Name), out.Truncate(0))
	}
	return sum, err
}

// isBlob reports whether a file is the one that git calls so: the hub states no other sum of small files.
func (f *remoteFile) isBlob(file *os.File, size int64) (bool, error) {
	hash := sha1.New() //nolint:gosec // git has no other; whoever can forge the file can forge what the hub states, too
	_, _ = fmt.Fprintf(hash, "blob %d\x00", size)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	_, err := io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)) == f.Blob, err
}

// rest appends what is missing of a file, and returns its size.
func (h *hubAt) rest(ctx context.Context, address string, out *os.File, have int64, f remoteFile) (int64, error) {
	header := http.Header{}
	if have > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	res, err := h.get(waiting, address, header)
	if err != nil {
		return have, err
	}
	defer func() { _ = res.Body.Close() }()
	stalled := time.AfterFunc(h.patience, stop)
	defer stalled.Stop()
	switch {
	case res.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case res.StatusCode == http.StatusOK: // the whole file
		have = 0
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		if err := out.Truncate(0); err != nil {
			return 0, err
		}
	default:
		return have, h.refused(res, f.Name)
	}
	buffer := make([]byte, 256<<10)
	for {
		n, err := res.Body.Read(buffer)
		stalled.Reset(h.patience)
		if _, e := out.Write(buffer[:n]); e != nil {
			return have, e
		}
		have += int64(n)
		loci.ReportProgress(ctx, loci.Progress{Stage: "pulling " + f.Name, Done: have, Total: f.Size, Bytes: true})
		switch {
		case errors.Is(err, io.EOF):
			return have, nil
		case ctx.Err() != nil:
			return have, ctx.Err()
		case err != nil:
			return have, loci.WrapError(loci.Upstream, err, "the download of %s was interrupted; pull again to go on", f.Name)
		case f.Size > 0 && have > f.Size:
			return have, nil // the caller sees that it is too long
		case have > maxFile:
			return have, loci.Errorf(loci.Upstream, "the hub %s sends too much for %s", h.address, f.Name)
		}
	}
}
