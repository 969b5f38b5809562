package sqlitedb

import (
	"context"
	"errors"
	"fmt"
)

const maxProblems = 100

// Check reads the whole file and returns what is wrong with it, in words; none
// means sound. It reads one snapshot beside the writers.
func (db *DB) Check(ctx context.Context) (problems []string, err error) {
	err = db.View(ctx, func(c *Conn) (err error) {
		problems, err = c.Check()
		return err
	})
	return problems, err
}

// Check is what DB.Check does, in a transaction that the caller has.
func (c *Conn) Check() (problems []string, err error) {
	err = c.Query("PRAGMA integrity_check", nil, func(r *Row) error {
		if text := r.Text(0); text != "ok" {
			problems = append(problems, text)
		}
		return nil
	})
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotDB) {
		// Too broken to look further is an answer, not a failure.
		return append(problems, err.Error()), nil
	}
	if err != nil {
		return problems, err
	}
	dangling, err := danglingKeys(c, maxProblems)
	return append(problems, dangling...), err
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
