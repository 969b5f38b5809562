package rest_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLogEvents logs batches of 100 events in a session.
func BenchmarkLogEvents(b *testing.B) {
	s := newServer(b)
	s.expect(b, 201, claude, `POST /sessions {"title":"work","agent_id":"reviewer"}`)
	n := 0
	for b.Loop() {
		var list []string
		for range 100 {
			n++
			list = append(list, fmt.Sprintf(`{"content":"Event %d: the build of the login page ran and its tests passed, `+
				`as they did before.","event_type":"tool_call","tags":["ci"],"metadata":{"n":%d}}`, n, n))
		}
		s.do("POST", "/events", claude, `{"events":[`+strings.Join(list, ",")+`]}`, "Loci-Session: work")
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkLogEvent logs single events, without and with a session.
func BenchmarkLogEvent(b *testing.B) {
	for name, session := range map[string]string{"alone": "", "in a session": `,"session_id":"work"`} {
		b.Run(name, func(b *testing.B) {
			s := newServer(b)
			s.expect(b, 201, claude, `POST /sessions {"title":"work","agent_id":"reviewer"}`)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				s.do("POST", "/events", claude, fmt.Sprintf(`{"content":"Event %d: the build of the login page ran and its `+
					`tests passed, as they did before.","event_type":"tool_call","tags":["ci"],"metadata":{"n":%d}%s}`, n, n,
					session))
			}
		})
	}
}
