package embedded

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
)

func open(t testing.TB, dir string, now func() time.Time) *Log {
	l := Open(Options{Dir: dir, Now: now})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func TestLog(t *testing.T) {
	t.Parallel()
	eventlogtest.Run(t, func(t *testing.T, now func() time.Time) eventlog.Engine {
		return open(t, filepath.Join(t.TempDir(), "events"), now)
	})
}
