package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// benchmark sends the same request again and again, through the whole chain.
func benchmark(b *testing.B, s *server, method, path, key, body string, want int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			b.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
}

const benchBody = `{"title":"Deploys","content":"We deploy on Tuesdays, after the tests are green and somebody is ` +
	`there.","tags":["ops","deploy"]}`

func BenchmarkGetByID(b *testing.B) {
	s := newServer(b)
	m := s.write(b, claude, benchBody)
	benchmark(b, s, "GET", "/agent/memories/"+m.ID.String(), claude, "", http.StatusOK)
}

func BenchmarkHealth(b *testing.B) {
	benchmark(b, newServer(b), "GET", "/health", "", "", http.StatusOK)
}

func BenchmarkCreate(b *testing.B) {
	benchmark(b, newServer(b), "POST", "/agent/memories", claude, benchBody, http.StatusCreated)
}

func BenchmarkLatest20(b *testing.B) {
	benchmark(b, newFilled(b), "POST", "/agent/memories/list", claude, `{"limit":20}`, http.StatusOK)
}

func BenchmarkByTag20(b *testing.B) {
	benchmark(b, newFilled(b), "POST", "/agent/memories/by-tag", claude, `{"tags":["ops"],"limit":20}`, http.StatusOK)
}

// newFilled returns a server with 100 memories of one tag.
func newFilled(b *testing.B) *server {
	b.Helper()
	s := newServer(b)
	for i := range 100 {
		s.write(b, claude, strings.Replace(benchBody, "Tuesdays", fmt.Sprintf("day %d", i), 1))
	}
	return s
}
