package arc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func TestTags(t *testing.T) {
	for _, tags := range [][]string{{}, {"a"}, {"a", "b"}, {"a,b", "%", "%2C", "%25", ",", "ä b"}, {"a%2Cb", "a,b"}} {
		text := joinTags(tags)
		if got := splitTags(text); !slices.Equal(got, tags) {
			t.Errorf("%q becomes %q and then %q", tags, text, got)
		}
		for _, other := range []string{"a", "b", "a,b", "%", "%2C", ",", "%2", "2C", "x"} {
			if has := strings.Contains(text, joinTags([]string{other})); has != slices.Contains(tags, other) {
				t.Errorf("%q is found in %q: %v", other, text, has)
			}
		}
	}
}

// Every column has one type, whatever is missing in the first row.
func TestEncode(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 1000, time.UTC)
	bare := &loci.Event{ID: loci.NewEventID(at), Time: at, RecordedAt: at, Content: "bare", Tags: []string{}}
	full := &loci.Event{ID: loci.NewEventID(at), Time: at, RecordedAt: at.Add(time.Second), SessionID: loci.SessionID{1},
		AgentID: loci.AgentID{2}, Actor: "actor", Class: loci.EventDecision, Type: "type", Content: "Running äpfel",
		Metadata: json.RawMessage(`{"a": 1}`), Tags: []string{"a,b"}, Importance: 7, ParentID: loci.EventID{3},
		DedupKey: "key", EventAccess: loci.EventAccess{OrgID: "acme", UserID: loci.UserID{4}, Origin: "claude",
			AllowedVendors: []loci.Vendor{"a"}, Reach: loci.ReachOrg}}
	rows := []*row{newRow(eventlog.Queued{Number: 1, Event: bare}), newRow(eventlog.Queued{Number: 1 << 52, Event: full})}
	body, err := encode("events", rows)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		M       string           `msgpack:"m"`
		Columns map[string][]any `msgpack:"columns"`
	}
	if err := msgpack.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if got.M != "events" || len(got.Columns) != len(columns) {
		t.Errorf("measurement %q, %d columns", got.M, len(got.Columns))
	}
	for name, values := range got.Columns {
		if len(values) != 2 {
			t.Errorf("column %s has %d values", name, len(values))
			continue
		}
		switch values[0].(type) {
		case string, int64, float64:
		default:
			t.Errorf("column %s has a %T", name, values[0])
		}
		if a, b := cmpType(values[0]), cmpType(values[1]); a != b {
			t.Errorf("column %s has a %s and a %s", name, a, b)
		}
	}
	for i, e := range []*loci.Event{bare, full} {
		var cells []any
		for _, c := range eventColumns {
			cells = append(cells, jsonCell(t, c, got.Columns[string(c)][i]))
		}
		back, class, err := readEvent(cells)
		if err != nil || class != rows[i].class {
			t.Fatalf("row %d: class %q, %v", i, class, err)
		}
		want := *e
		want.EventAccess = loci.EventAccess{}
		back.EventAccess, want.Origin, back.Origin = loci.EventAccess{}, "", ""
		if diff := cmp.Diff(&want, back); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
}

func cmpType(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case int64:
		return "int64"
	case float64:
		return "float64"
	}
	return "other"
}

// jsonCell is a value as Arc answers with it.
func jsonCell(t *testing.T, c column, v any) any {
	t.Helper()
	if at, ok := v.(int64); ok && c == colTime {
		return time.UnixMicro(at).UTC().Format(time.RFC3339Nano)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := v.(string); ok {
		return s
	}
	return json.Number(text)
}

func TestReadEventRejects(t *testing.T) {
	good := []any{loci.EventID{1}.String(), "2026-03-01T12:00:00Z", json.Number("1"), "", "", "", "", "", "", "", "",
		json.Number("5"), "", "", "", ""}
	if _, _, err := readEvent(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for _, bad := range []any{nil, true, "nonsense", json.Number("x")} {
			cells := slices.Clone(good)
			if _, isText := good[i].(string); isText && good[i] == "" && bad == "nonsense" {
				continue
			}
			cells[i] = bad
			if _, _, err := readEvent(cells); err == nil {
				t.Errorf("cell %d: %v is accepted", i, bad)
			}
		}
		if _, _, err := readEvent(good[:i]); err == nil {
			t.Errorf("%d cells are enough", i)
		}
	}
}
