package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// forgetful answers as an MCP server would, once it has got several requests:
// it refuses each fourth entity, and forgets each third one that it acknowledges.
type forgetful struct {
	together int
	kept     map[string]bool
	seen     int
}

func (f *forgetful) serve(t *testing.T, in io.Reader, out io.WriteCloser) {
	defer out.Close()
	var waiting []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		waiting = append(waiting, f.answer(t, lines.Bytes()))
		if len(waiting) == f.together {
			fmt.Fprint(out, strings.Join(waiting, "")) // at once: the client sends more between two lines
			waiting = nil
		}
	}
}

func (f *forgetful) answer(t *testing.T, line []byte) string {
	var r struct {
		ID     int
		Params struct {
			Arguments struct {
				Entities []graphEntity
				Names    []string
			}
		}
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Error(err)
	}
	var found []string
	for _, e := range r.Params.Arguments.Entities {
		f.seen++
		if f.seen%4 == 0 {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"isError":true,"content":[]}}`+"\n", r.ID)
		}
		f.kept[e.Name] = f.seen%3 != 0
	}
	for _, name := range r.Params.Arguments.Names {
		if f.kept[name] {
			found = append(found, fmt.Sprintf(`{"name":%q}`, name))
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"structuredContent":{"entities":[%s]}}}`+"\n", r.ID,
		strings.Join(found, ","))
}

// TestInFlight checks that what was acknowledged and what of it is not there
// are counted against a server that refuses some and loses some.
func TestInFlight(t *testing.T) {
	in, toServer := io.Pipe()
	out, fromServer := io.Pipe()
	f := &forgetful{together: 4, kept: map[string]bool{}}
	done := make(chan struct{})
	go func() { defer close(done); f.serve(t, in, fromServer) }()
	s := &mcpServer{in: toServer, out: bufio.NewReader(out)}
	c := newCorpus(1, loci.NewUserID())
	left := 24
	told, err := s.inFlight(4, func() (graphEntity, bool) { left--; return c.entity(2, 3), left >= 0 })
	if err != nil {
		t.Fatal(err)
	}
	if told.Count != 18 || len(told.names) != 18 { // 24 less each fourth
		t.Errorf("acknowledged %d, named %d, want 18", told.Count, len(told.names))
	}
	f.together = 1
	lost, err := missing(told.names, s.call)
	if err != nil || lost != 6 { // 3, 6, 9, 15, 18, 21: 12 and 24 were refused
		t.Errorf("lost %d, %v, want 6", lost, err)
	}
	_ = toServer.Close()
	<-done
}

// TestMissingReadsAnswersThatHoldBack checks that an answer with only a part of the names loses none of them.
func TestMissingReadsAnswersThatHoldBack(t *testing.T) {
	lost, err := missing([]string{"a", "b", "gone", "c"}, func(_ string, arguments, into any) error {
		var one []string
		for _, name := range arguments.(map[string]any)["names"].([]string) {
			if name != "gone" && len(one) == 0 {
				one = append(one, `{"name":"`+name+`"}`)
			}
		}
		return json.Unmarshal([]byte(`{"entities":[`+strings.Join(one, ",")+`]}`), into)
	})
	if lost != 1 || err != nil {
		t.Errorf("lost %d, %v; want 1", lost, err)
	}
}
