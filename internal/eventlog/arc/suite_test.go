package arc_test

import (
	"net/http"
	"testing"
	"time"

	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
)

func TestSuite(t *testing.T) {
	eventlogtest.Run(t, func(t *testing.T, now func() time.Time) eventlog.Engine {
		fake := arctest.New(token)
		fake.Delay, fake.Cache = 0, 0 // because the log settles at once
		t.Cleanup(fake.Close)
		local := embedded.Open(embedded.Options{Dir: t.TempDir(), Now: now})
		log := arc.New(arc.Options{Local: local, Now: now, HTTP: &http.Client{Transport: fake},
			Confirm: 1, Settle: 1, FlushInterval: 1, Resend: 1,
			Binding: func(context.Context, loci.OrgID) (loci.ArcBinding, error) {
				return loci.ArcBinding{URL: "http://arc.test", Database: "db", Measurement: "events", Key: token}, nil
			}})
		t.Cleanup(func() {
			if err := log.Close(); err != nil {
				t.Error(err)
			}
			if err := local.Close(); err != nil {
				t.Error(err)
			}
		})
		return log
	})
}
