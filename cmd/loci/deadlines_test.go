package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// boundWriter notes whether somebody bounded the time of a request.
type boundWriter struct {
	*httptest.ResponseRecorder
	read, written bool
}

func (w *boundWriter) SetReadDeadline(t time.Time) error  { w.read = !t.IsZero(); return nil }
func (w *boundWriter) SetWriteDeadline(t time.Time) error { w.written = !t.IsZero(); return nil }

func TestOnlyStreamsHaveNoDeadline(t *testing.T) {
	for _, tt := range []struct {
		method, path, accept string
		bounded              bool
	}{
		{http.MethodGet, "/mcp", "text/event-stream", false},
		{http.MethodGet, "/mcp", "application/json", true},
		{http.MethodPost, "/mcp", "application/json, text/event-stream", true},
		{http.MethodGet, "/api/v1/memories", "text/event-stream", true},
		{http.MethodGet, "/", "text/event-stream", true},
		{http.MethodGet, "/api/v1/changes", "", false},
		{http.MethodGet, "/changes", "", false},
		{http.MethodPost, "/api/v1/changes", "", true},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.accept, func(t *testing.T) {
			w := &boundWriter{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(tt.method, tt.path, nil)
			r.Header.Set("Accept", tt.accept)
			deadlines(t.Context(), http.NotFoundHandler()).ServeHTTP(w, r)
			if w.read != tt.bounded || w.written != tt.bounded {
				t.Errorf("deadlines to read %t, to write %t; want %t", w.read, w.written, tt.bounded)
			}
		})
	}
}
