package sqlitedb

import (
	"context"
	"errors"
	"fmt"
)

const maxProblems = 100

// Check reads the whole file and describes its problems. An empty result means that the file is
// sound. It reads one snapshot beside the writers.
func (db *DB) Check(ctx context.Context) (problems []string, err error) {
	err = db.Scan(ctx, func(c *Conn) (err error) {
		problems, err = c.Check()
		return err
	})
	return problems, err
}

// Check does the same as DB.Check, in the caller's transaction.
func (c *Conn) Check() (problems []string, err error) {
	err = c.Query("PRAGMA integrity_check", nil, func(r *Row) error {
		if text := r.Text(0); text != "ok" {
			problems = append(problems, text)
		}
		return nil
	})
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotDB) {
		// A file too damaged to check further is a result, not a failure.
		return append(problems, err.Error()), nil
	}
	if err != nil {
		return problems, err
	}
	dangling, err := danglingKeys(c, maxProblems)
	return append(append(problems, dangling...), lostBefore(c.raw.Filename("main").String())...), err
}

func danglingKeys(c *Conn, limit int) (problems []string, err error) {
	err = c.Query("PRAGMA foreign_key_check", nil, func(r *Row) error {
		problems = append(problems,
			fmt.Sprintf("row %d of %s refers to a missing row of %s", r.Int64(1), r.Text(0), r.Text(2)))
		if len(problems) >= limit {
			return ErrStop
		}
		return nil
	})
	return problems, err
}
