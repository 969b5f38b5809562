package hub_test

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // as git names it
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/embed/hub"
)

// fakeHub serves one model as Hugging Face does.
type fakeHub struct {
	*httptest.Server
	files  map[string][]byte
	sum    string // of the weights, as it states
	breaks int    // after how many bytes an answer with the weights breaks off; 0: it does not
	stalls bool   // instead of breaking off, it sends nothing more
	commit string // of the revision main
	asked  []string
	sends  map[string][]byte // instead of the files that it states
}

func newHub(t *testing.T) *fakeHub {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "source")
	if err := embedtest.Folder(dir, []string{"tea", "coffee"}, [][]float32{{1, 0}, {0, 1}}); err != nil {
		t.Fatal(err)
	}
	h := &fakeHub{commit: "abc123", files: map[string][]byte{"README.md": []byte("MIT"),
		"pytorch_model.bin": []byte("nobody wants this")}}
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		h.files[name] = data
	}
	sum := sha256.Sum256(h.files["model.safetensors"])
	h.sum = hex.EncodeToString(sum[:])
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/ada/tiny/revision/main", h.list)
	mux.HandleFunc("GET /ada/tiny/resolve/{commit}/{file...}", h.resolve)
	mux.HandleFunc("GET /cdn/{file...}", h.serve)
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

func (h *fakeHub) list(w http.ResponseWriter, _ *http.Request) {
	var siblings []map[string]any
	for name, data := range h.files {
		blob := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)) //nolint:gosec // as git names it
		s := map[string]any{"rfilename": name, "size": len(data), "blobId": hex.EncodeToString(blob[:])}
		if name == "model.safetensors" {
			s["lfs"] = map[string]any{"sha256": h.sum, "size": len(data)}
		}
		siblings = append(siblings, s)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"sha": h.commit, "siblings": siblings})
}

// resolve redirects, as hubs do to where the files are.
func (h *fakeHub) resolve(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/cdn/"+r.PathValue("file"), http.StatusFound)
}

func (h *fakeHub) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	h.asked = append(h.asked, name+" "+r.Header.Get("Range"))
	if name == "model.safetensors" && h.breaks > 0 {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(h.files[name][:h.breaks])
		_ = http.NewResponseController(w).Flush()
		h.breaks = 0
		if h.stalls {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
	data := h.files[name]
	if instead := h.sends[name]; instead != nil {
		data = instead
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

func (h *fakeHub) pull(t *testing.T, dir string) (string, error) {
	t.Helper()
	return hub.Pull(t.Context(), "ada/tiny", hub.Options{Dir: dir, Hub: h.URL})
}

func TestPullAndResume(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	h.breaks = 20
	_, err := h.pull(t, dir)
	if loci.CodeOf(err) != loci.Upstream || !strings.Contains(err.Error(), "pull again to go on") {
		t.Fatalf("an interrupted download: %v", err)
	}
	list, err := hub.List(dir)
	if err != nil || len(list) != 1 || list[0].Complete || list[0].Name != "tiny" {
		t.Errorf("after it: %+v, %v", list, err)
	}
	h.asked = nil
	name, err := h.pull(t, dir)
	if err != nil || name != "tiny" {
		t.Fatalf("the second one: %q, %v", name, err)
	}
	if got := strings.Join(h.asked, "; "); got != "model.safetensors bytes=20-; README.md " {
		t.Errorf("the second one asked for %s", got)
	}
	if _, err := embed.Open(filepath.Join(dir, "tiny"), embed.Prompts{}); err != nil {
		t.Error(err)
	}
	if list, err = hub.List(dir); err != nil || len(list) != 1 || !list[0].Complete || list[0].Dims != 2 ||
		list[0].Source != "ada/tiny" || list[0].Revision != "abc123" {
		t.Errorf("afterwards: %+v, %v", list, err)
	}
	if _, err := h.pull(t, dir); err != nil { // replaces it
		t.Error(err)
	}
	if err := hub.Remove(dir, "tiny"); err != nil {
		t.Error(err)
	}
	if list, _ := hub.List(dir); len(list) != 0 {
		t.Errorf("left: %+v", list)
	}
}

// TestPullATransformer brings the files in which a transformer says how it is used, also from a folder.
func TestPullATransformer(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	tensors := map[string]embedtest.Table{}
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		tensors[name] = embedtest.Table{Shape: shape, Values: slices.Repeat([]float32{0.5}, n)}
	}
	for _, name := range []string{"word", "position", "token_type"} {
		add("embeddings."+name+"_embeddings.weight", 4, 2)
	}
	for _, name := range []string{"embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"} {
		add(name+".LayerNorm.weight", 2)
		add(name+".LayerNorm.bias", 2)
	}
	for _, name := range []string{"attention.self.query", "attention.self.key", "attention.self.value",
		"attention.output.dense", "intermediate.dense", "output.dense"} {
		add("encoder.layer.0."+name+".weight", 2, 2)
		add("encoder.layer.0."+name+".bias", 2)
	}
	weights := embedtest.Tensors(tensors)
	h.sum = fmt.Sprintf("%x", sha256.Sum256(weights))
	for name, text := range map[string]string{"model.safetensors": string(weights), "config.json": `{"model_type": "bert",
		"num_hidden_layers": 1, "num_attention_heads": 1, "hidden_act": "gelu"}`,
		"1_Pooling/config.json": `{"pooling_mode_cls_token": true}`, "sentence_bert_config.json": `{"max_seq_length": 3}`,
		"config_sentence_transformers.json": `{"prompts": {"query": "tea"}}`, "modules.json": `[]`} {
		h.files[name] = []byte(text)
	}
	if _, err := h.pull(t, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Copy(t.Context(), filepath.Join(dir, "tiny"), hub.Options{Dir: dir, Name: "copy"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tiny", "copy"} {
		for file, want := range h.files {
			got, err := os.ReadFile(filepath.Join(dir, name, file))
			if isWanted := file != "pytorch_model.bin"; isWanted && !bytes.Equal(got, want) || isWanted != (err == nil) {
				t.Errorf("%s/%s: got %d bytes, %v", name, file, len(got), err)
			}
		}
	}
	list, err := hub.List(dir)
	if err != nil || len(list) != 2 || list[0].Dims != 2 || !list[1].Complete || list[1].Bytes < int64(len(weights)+200) {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestPullOfAnotherRevision goes on after the hub has another revision, whose tokenizer has as many bytes.
func TestPullOfAnotherRevision(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	h.breaks = 20
	if _, err := h.pull(t, dir); loci.CodeOf(err) != loci.Upstream {
		t.Fatalf("an interrupted download: %v", err)
	}
	h.commit = "def456"
	h.files["tokenizer.json"] = bytes.Replace(h.files["tokenizer.json"], []byte("tea"), []byte("eat"), 1)
	if _, err := h.pull(t, dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tiny", "tokenizer.json"))
	if err != nil || !bytes.Equal(got, h.files["tokenizer.json"]) {
		t.Errorf("the model has the tokenizer of the revision before: %s, %v", got, err)
	}
}

func TestPullFromAHubThatStalls(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	h.breaks, h.stalls = 20, true
	_, err := hub.Pull(t.Context(), "ada/tiny", hub.Options{Dir: dir, Hub: h.URL, Patience: 50 * time.Millisecond})
	if loci.CodeOf(err) != loci.Upstream || !strings.Contains(err.Error(), "pull again to go on") {
		t.Errorf("got %v", err)
	}
	if _, err := h.pull(t, dir); err != nil {
		t.Errorf("the second one: %v", err)
	}
}

// TestPullLeavesNothingUseless has pulls that no other call can finish, and one that was killed while it replaced a
// model.
func TestPullLeavesNothingUseless(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	_, err := hub.Pull(t.Context(), "ada/absent", hub.Options{Dir: dir, Hub: h.URL})
	if loci.CodeOf(err) != loci.NotFound {
		t.Errorf("no such model: %v", err)
	}
	tokenizer := h.files["tokenizer.json"]
	h.files["tokenizer.json"] = []byte(`{"model":{"type":"BPE","vocab":{}}}`)
	if _, err := h.pull(t, dir); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("another format: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	h.files["tokenizer.json"] = tokenizer
	killed := filepath.Join(dir, "tiny.old.part")
	for range 2 {
		if err := os.MkdirAll(filepath.Join(killed, "a file"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := h.pull(t, dir); err != nil {
			t.Errorf("after a killed one: %v", err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestPullChecks(t *testing.T) {
	h, dir := newHub(t), t.TempDir()
	right := h.sum
	h.sum = strings.Repeat("0", 64)
	if _, err := h.pull(t, dir); loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "another SHA-256") {
		t.Errorf("a wrong sum: %v", err)
	}
	h.sum = right
	_, err := hub.Pull(t.Context(), "ada/tiny", hub.Options{Dir: dir, Hub: h.URL, SHA256: strings.Repeat("a", 64)})
	if loci.CodeOf(err) != loci.Invalid {
		t.Errorf("another sum than the person's: %v", err)
	}
	if _, err := h.pull(t, dir); err != nil {
		t.Errorf("after these: %v", err)
	}
	_, err = hub.Pull(t.Context(), "ada/absent", hub.Options{Dir: dir, Hub: h.URL})
	if loci.CodeOf(err) != loci.NotFound {
		t.Errorf("no such model: %v", err)
	}
	h.sends = map[string][]byte{"tokenizer.json": bytes.ReplaceAll(h.files["tokenizer.json"], []byte("tea"),
		[]byte("tee"))}
	if _, err := h.pull(t, t.TempDir()); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a small file with another content: %v", err)
	}
	h.sends = map[string][]byte{"model.safetensors": h.files["model.safetensors"][:30]}
	if _, err := h.pull(t, t.TempDir()); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a file that is too short: %v", err)
	}
	h.sends = nil
	for _, repo := range []string{"ada/tiny?x", "../tiny", "ada/tiny/x", "ada /tiny", ""} {
		if _, err := hub.Pull(t.Context(), repo, hub.Options{Dir: dir, Hub: h.URL}); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("the repository %q: %v", repo, err)
		}
	}
	_, err = hub.Pull(t.Context(), "ada/tiny", hub.Options{Dir: dir, Hub: h.URL, SHA256: "12"})
	if loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a sum that is none: %v", err)
	}
	delete(h.files, "tokenizer.json")
	_, err = h.pull(t, dir)
	if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "choose another model") {
		t.Errorf("another format: %v", err)
	}
	h.Close()
	if _, err := h.pull(t, dir); loci.CodeOf(err) != loci.Upstream {
		t.Errorf("a hub that is gone: %v", err)
	}
	for _, name := range []string{"..", "off", "a.part", "a/b", ""} {
		if err := hub.CheckName(name); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}

func TestCopyAFolder(t *testing.T) {
	dir, from := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	if err := embedtest.Folder(from, []string{"tea"}, [][]float32{{1, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	name, err := hub.Copy(t.Context(), from, hub.Options{Dir: dir, Name: "copy"})
	if err != nil || name != "copy" {
		t.Fatalf("got %q, %v", name, err)
	}
	list, err := hub.List(dir)
	if err != nil || len(list) != 1 || list[0].Dims != 3 || !list[0].Complete {
		t.Errorf("got %+v, %v", list, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hub.Copy(ctx, from, hub.Options{Dir: dir, Name: "interrupted"}); err == nil {
		t.Error("an interrupted copy did not fail")
	}
	if list, _ := hub.List(dir); len(list) != 1 {
		t.Errorf("an interrupted copy left %+v", list)
	}
}
