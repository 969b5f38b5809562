package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
)

const key = "sk-secret-of-the-endpoint"

// asked is a request as an endpoint gets it.
type asked struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
	Format     string   `json:"encoding_format"`
}

// endpoint serves answers of fn.
func endpoint(t *testing.T, o embed.EndpointOptions, fn http.HandlerFunc) *embed.Endpoint {
	t.Helper()
	s := httptest.NewServer(fn)
	t.Cleanup(s.Close)
	o.BaseURL, o.APIKey, o.Model = s.URL+"/v1", key, "mini"
	e, err := embed.NewEndpoint(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEndpointVectors(t *testing.T) {
	calls := 0
	e := endpoint(t, embed.EndpointOptions{QueryPrefix: "query: ", DocumentPrefix: "passage: ", Dims: 2},
		func(w http.ResponseWriter, r *http.Request) {
			var in asked
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "mini" ||
				in.Dimensions != 2 || in.Format != "float" || r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("got %s %+v, %v", r.URL.Path, in, err)
			}
			calls++
			var data []string
			for i := len(in.Input) - 1; i >= 0; i-- { // in another order
				x := 3
				if strings.HasPrefix(in.Input[i], "query: ") {
					x = -3
				}
				data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,4]}`, i, x))
			}
			_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"mini","usage":{"total_tokens":3}}`,
				strings.Join(data, ","))
		})
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = "text"
	}
	list, err := e.Embed(t.Context(), embed.Document, texts)
	if err != nil || len(list) != 100 || calls != 2 || list[99][0] != 0.6 || list[0][1] != 0.8 {
		t.Fatalf("got %d vectors in %d calls, %v", len(list), calls, err)
	}
	if list, err = e.Embed(t.Context(), embed.Query, []string{"text"}); err != nil || list[0][0] != -0.6 {
		t.Errorf("got %v, %v", list, err)
	}
	if strings.Contains(e.Name(), key) || len(e.Name()) > 200 {
		t.Errorf("the name is %q", e.Name())
	}
}

// TestEndpointRequests bounds the texts of a request, and cuts each between two characters.
func TestEndpointRequests(t *testing.T) {
	var sizes []string
	e := endpoint(t, embed.EndpointOptions{MaxChars: 20_000}, func(w http.ResponseWriter, r *http.Request) {
		var in asked
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		var data []string
		for i, text := range in.Input {
			if strings.Trim(text, "é") != "" || len(text) > 40_000 {
				t.Errorf("text %d has %d bytes", i, len(text))
			}
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[1]}`, i))
		}
		sizes = append(sizes, fmt.Sprint(len(in.Input)))
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	})
	texts := slices.Repeat([]string{strings.Repeat("é", 30_000)}, 7)
	if list, err := e.Embed(t.Context(), embed.Document, texts); err != nil || len(list) != 7 {
		t.Errorf("got %d vectors, %v", len(list), err)
	}
	if got := strings.Join(sizes, " "); got != "5 2" {
		t.Errorf("the requests had %s texts, want 5 2", got)
	}
}

// TestEndpointsThatPause has an endpoint that asks for a pause at its second request: what it has made is kept.
func TestEndpointsThatPause(t *testing.T) {
	calls := 0
	e := endpoint(t, embed.EndpointOptions{}, func(w http.ResponseWriter, r *http.Request) {
		var in asked
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if calls++; calls > 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		var data []string
		for i := range in.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[1]}`, i))
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	})
	if list, err := e.Embed(t.Context(), embed.Document, slices.Repeat([]string{"tea"}, 100)); err == nil ||
		len(list) != 64 {
		t.Errorf("got %d vectors (%v), want 64 and an error", len(list), err)
	}
}

// TestEndpointsThatFail has everything that an endpoint may do wrong. Nothing of what it writes gets out, nor the key.
func TestEndpointsThatFail(t *testing.T) {
	vectors := func(list ...string) string { return `{"object":"list","data":[` + strings.Join(list, ",") + `]}` }
	for name, tt := range map[string]struct {
		status  int
		answer  string
		refused bool
	}{
		"too few":              {200, vectors(`{"index":0,"embedding":[1,2]}`), false},
		"none":                 {200, vectors(), false},
		"one twice":            {200, vectors(`{"index":0,"embedding":[1]}`, `{"index":0,"embedding":[1]}`), false},
		"an index beyond":      {200, vectors(`{"index":0,"embedding":[1]}`, `{"index":7,"embedding":[1]}`), false},
		"empty":                {200, vectors(`{"index":0,"embedding":[]}`, `{"index":1,"embedding":[]}`), false},
		"different dimensions": {200, vectors(`{"index":0,"embedding":[1]}`, `{"index":1,"embedding":[1,2]}`), false},
		"huge numbers":         {200, vectors(`{"index":0,"embedding":[1e999]}`, `{"index":1,"embedding":[1]}`), false},
		"zeros":                {200, vectors(`{"index":0,"embedding":[0,0]}`, `{"index":1,"embedding":[1,0]}`), true},
		"nulls":                {200, vectors(`{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[null,null]}`), true},
		"texts":                {200, vectors(`{"index":0,"embedding":"leak-me"}`, `{"index":1,"embedding":[1]}`), false},
		"garbage":              {200, "leak-me \x00\xff", false},
		"a page":               {200, "<html>leak-me " + key + "</html>", false},
		"no key":               {401, `{"error":{"message":"leak-me ` + key + `"}}`, false},
		"not found":            {404, "leak-me", false},
		"a pause":              {429, "leak-me", false},
		"too long":             {400, `{"error":{"message":"leak-me"}}`, true},
		"too large":            {413, "leak-me", true},
		"down":                 {503, "leak-me", false},
		"endless":              {200, strings.Repeat(" ", 20<<20), false},
		"elsewhere":            {307, "", false},
	} {
		e := endpoint(t, embed.EndpointOptions{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://192.0.2.1/leak-me")
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.answer))
		})
		_, err := e.Embed(t.Context(), embed.Document, []string{"one", "two"})
		var fault *embed.Fault
		if !errors.As(err, &fault) || fault.Refused != tt.refused {
			t.Errorf("%s: got %v, want a fault (refused %v)", name, err, tt.refused)
			continue
		}
		if asks := tt.status == 429 || tt.status == 503; asks != (fault.RetryAfter == 30*time.Second) ||
			asks != strings.Contains(fault.Text, "30s") {
			t.Errorf("%s: got %v, to be asked again after %v", name, err, fault.RetryAfter)
		}
		if name == "elsewhere" && !strings.Contains(fault.Text, "it redirects; set embed.base_url to its final address") {
			t.Errorf("an endpoint that redirects: %v", err)
		}
		for cause := err; cause != nil; cause = errors.Unwrap(cause) {
			if text := cause.Error(); strings.Contains(text, "leak-me") || strings.Contains(text, key) {
				t.Errorf("%s: the error has what the endpoint wrote: %s", name, text)
			}
		}
	}
}

func TestSlowAndGoneEndpoints(t *testing.T) {
	release := make(chan struct{})
	e := endpoint(t, embed.EndpointOptions{Timeout: 50 * time.Millisecond},
		func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
	defer close(release)
	var fault *embed.Fault
	if _, err := e.Embed(t.Context(), embed.Query, []string{"x"}); !errors.As(err, &fault) {
		t.Errorf("slow: got %v", err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone, err := embed.NewEndpoint(embed.EndpointOptions{BaseURL: "http://" + l.Addr().String(), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Embed(t.Context(), embed.Query, []string{"x"}); !errors.As(err, &fault) ||
		!strings.Contains(err.Error(), "embed.base_url") {
		t.Errorf("gone: got %v", err)
	}
}

// TestEgressOff has a listener that nothing may reach, and a model in a folder that works all the same.
func TestEgressOff(t *testing.T) {
	var reached atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	s.Config.ConnState = func(net.Conn, http.ConnState) { reached.Add(1) }
	defer s.Close()
	off, err := embed.NewSelector(embed.SelectorOptions{Dir: t.TempDir(), Model: "mini",
		Endpoint: embed.EndpointOptions{BaseURL: s.URL}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := off.Current(t.Context())
	if m != nil || err != nil || reached.Load() != 0 {
		t.Errorf("with egress off, the model is %v (%v), and the listener was reached %d times", m, err, reached.Load())
	}
	local, err := embed.NewSelector(embed.SelectorOptions{Dir: t.TempDir(), Model: folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := local.Current(t.Context()); m == nil || err != nil {
		t.Errorf("a model in a folder: %v, %v", m, err)
	}
}

// TestSelectorNoticesUse switches a model on, changes it and switches it off, while a process runs.
func TestSelectorNoticesUse(t *testing.T) {
	dir := filepath.Dir(folder(t))
	s, err := embed.NewSelector(embed.SelectorOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	current := func() string {
		m, err := s.Current(t.Context())
		if err != nil || m == nil {
			return fmt.Sprint(err)
		}
		return m.Name()
	}
	if got := current(); !strings.HasPrefix(got, "static:built-in@") {
		t.Errorf("at first: %s", got)
	}
	for _, step := range [][2]string{{"tiny", "static:tiny@"}, {embed.Off, "<nil>"}, {embed.BuiltIn, "static:built-in@"},
		{filepath.Join(dir, "tiny"), "static:tiny@"}} {
		if err := embed.Use(dir, step[0]); err != nil {
			t.Fatal(err)
		}
		got := current()
		if !strings.HasPrefix(got, step[1]) {
			t.Errorf("after Use(%s): %s", step[0], got)
		}
		for _, name := range []string{"static:built-in@1", "static:tiny@1+2", "endpoint:tiny"} {
			is := got != "<nil>" && strings.HasPrefix(name, step[1])
			if s.IsChosen(name) != is {
				t.Errorf("after Use(%s), whether %s is chosen is %v", step[0], name, !is)
			}
		}
	}
	builtIn, err := embed.Open(embed.BuiltIn, embed.Prompts{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.ByName(t.Context(), builtIn.Name()); err != nil || m == nil {
		t.Errorf("ByName of the built-in model: %v, %v", m, err)
	}
	name := current()
	if m, err := s.ByName(t.Context(), name); err != nil || m == nil {
		t.Errorf("ByName(%s): %v, %v", name, m, err)
	}
	if m, err := s.ByName(t.Context(), "static:tiny@0000"); err != nil || m != nil {
		t.Errorf("ByName of an older one: %v, %v", m, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere") // used by its path, and then no more
	if err := os.Rename(folder(t), elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, use := range []string{elsewhere, embed.Off} {
		if err := embed.Use(dir, use); err != nil {
			t.Fatal(err)
		}
		if use == elsewhere {
			name = current()
		}
	}
	if m, err := s.ByName(t.Context(), name); err != nil || m == nil {
		t.Errorf("ByName(%s), which was used by its path: %v, %v", name, m, err)
	}
	if err := embed.Use(dir, "absent"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Current(context.Background()); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("a model that is not there: %v", err)
	}
}

// TestSlowReads has a model that takes long to be read: who has no time goes on without it, and it is there later.
func TestSlowReads(t *testing.T) {
	for _, patient := range []bool{false, true} {
		s, err := embed.NewSelector(embed.SelectorOptions{Model: folder(t), Patient: patient})
		if err != nil {
			t.Fatal(err)
		}
		slow := make(chan struct{})
		s.ReadWith(func(dir string) (embed.FolderModel, error) {
			<-slow
			return embed.Open(dir, embed.Prompts{})
		})
		short, cancel := context.WithCancel(t.Context())
		cancel()
		if patient {
			close(slow)
		}
		m, err := s.Current(short)
		if fault := (*embed.Fault)(nil); (m != nil) != patient || (errors.As(err, &fault) && fault.Loading) == patient {
			t.Errorf("patient %t: got %v, %v", patient, m, err)
		}
		if !patient {
			close(slow)
		}
		if m, err := s.Current(t.Context()); m == nil || err != nil {
			t.Errorf("later: %v, %v", m, err)
		}
	}
}

// TestSelectorForgets looks for a model that was used by its path: it is found for as long as it is in memory.
func TestSelectorForgets(t *testing.T) {
	dir, elsewhere := t.TempDir(), folder(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := embed.NewSelector(embed.SelectorOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := embed.Use(dir, elsewhere); err != nil {
			t.Fatal(err)
		}
		m, err := s.Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := embed.Use(dir, embed.Off); err != nil {
			t.Fatal(err)
		}
		for after, want := range []bool{true, false} {
			if _, err := s.Current(t.Context()); err != nil {
				t.Fatal(err)
			}
			if old, err := s.ByName(t.Context(), m.Name()); (old != nil) != want || err != nil {
				t.Errorf("after %d hours: %v, %v", after, old, err)
			}
			<-time.After(time.Hour)
		}
	})
}
