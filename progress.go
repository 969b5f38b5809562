package loci

import "context"

// Progress is how far a long piece of work has come.
type Progress struct {
	Stage string // what Loci is doing, such as "checking memories"
	Done  int64
	Total int64 // 0 or less: unknown
	Bytes bool  // Done and Total count bytes
}

type progressKey struct{}

// WithProgress returns a context under which long work tells report how far it has come. Several
// goroutines may call report at the same time.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress tells the caller of the work how far it has come. It does nothing if the caller
// did not ask with WithProgress.
func ReportProgress(ctx context.Context, p Progress) {
	if report, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		report(p)
	}
}
