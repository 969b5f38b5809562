package store

import (
	"context"
	"time"
)

// Job is what became of the last turn of a job of the server.
type Job struct {
	Name    string // such as trash.purge
	BegunAt time.Time
	EndedAt time.Time
	Rows    int       // that it changed
	Error   string    // why it failed, safe to show; "": it did not
	NextAt  time.Time // its next turn; zero: when somebody asks for it
}

// Jobs stores the last turn of each job, for all processes together.
type Jobs interface {
	// Put stores a turn, unless a later one of the same job is stored.
	Put(ctx context.Context, j Job) error
	// List returns the jobs, by name.
	List(ctx context.Context) ([]Job, error)
}
