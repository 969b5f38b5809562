package sqlstore

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestEachLifecycleHasItsOwnCondition fails for a lifecycle that the rule knows and admits does not.
func TestEachLifecycleHasItsOwnCondition(t *testing.T) {
	condition := func(l loci.Lifecycle) string {
		var q Query
		admits(&q, l, time.UnixMicro(0))
		return q.String()
	}
	const unknown = loci.Lifecycle(-1)
	seen := map[string]loci.Lifecycle{condition(unknown): unknown}
	for _, l := range loci.Lifecycles() {
		text := condition(l)
		if other, ok := seen[text]; ok {
			t.Errorf("lifecycle %d has the condition %q of lifecycle %d", l, text, other)
		}
		seen[text] = l
	}
}
