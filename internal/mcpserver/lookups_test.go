package mcpserver

import (
	"testing"
	"time"
)

// TestSpansOfTimesToCome reads spans: those of fields about the future lie ahead, and all others back.
func TestSpansOfTimesToCome(t *testing.T) {
	t.Parallel()
	for field, ahead := range map[string]bool{"until": true, "expires_at": true, "as_of": false} {
		if at, err := timeOf(field, "2d"); err != nil || at.After(time.Now()) != ahead {
			t.Errorf("%s: got %s, %v", field, at, err)
		}
	}
}
