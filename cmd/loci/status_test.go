package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/store"
)

// TestStatusCountsEveryMemory has more memories than a list counts.
func TestStatusCountsEveryMemory(t *testing.T) {
	dir, most := t.TempDir(), store.MaxTotal+200
	var rows strings.Builder
	rows.WriteString(`{"loci":"export","format":2}` + "\n")
	for i := range most {
		fmt.Fprintf(&rows, `{"memory":{"id":"b2049c21-ff9e-4c20-a753-%012d","title":"t","content":"row %d","tags":[],`+
			`"memory_type":"semantic","category":"fact","importance":5,"source":"manual","scope":"global","origin":"cli",`+
			`"allowed_vendors":["*"],"created_at":"2026-01-31T00:00:00Z","updated_at":"2026-01-31T00:00:00Z","version":1,`+
			`"change":"created","editor":"cli"}}`+"\n", i, i)
	}
	file := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runLoci(t, dir, "import", file)
	var got status
	if err := json.Unmarshal(runLoci(t, dir, "status", "--json"), &got); err != nil || got.Memories != most {
		t.Errorf("status counts %d memories, %v; want %d", got.Memories, err, most)
	}
	if text := string(runLoci(t, dir, "status")); !strings.Contains(text, "memories      1,200 current\n") {
		t.Errorf("status prints:\n%s", text)
	}
}
