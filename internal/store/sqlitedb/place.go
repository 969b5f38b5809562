package sqlitedb

import (
	"fmt"
	"os"
)

// place identifies the files that a database was opened as. If a file is deleted or replaced
// while it is open, it still accepts writes, but they are lost when the process ends.
type place struct{ file, log os.FileInfo }

// remember stores the identity of the open database's files.
func (db *DB) remember() error {
	file, err := os.Stat(db.opts.Path)
	if err != nil {
		return err
	}
	if at := db.at.Load(); at != nil && !os.SameFile(file, at.file) {
		return db.InPlace()
	}
	log, _ := os.Stat(db.opts.Path + "-wal") // not there yet before the first read
	db.at.Store(&place{file, log})
	return nil
}

// InPlace returns an error of class ErrGone if the database's file or its log is no longer where
// it was opened. From then on every call fails with that error, unless the file may move.
func (db *DB) InPlace() error {
	at := db.at.Load()
	err := same(db.opts.Path, at.file)
	if err == nil && at.log != nil {
		err = same(db.opts.Path+"-wal", at.log)
	}
	if err == nil {
		return nil
	}
	gone := &Error{Class: ErrGone, Cause: err}
	if !db.opts.Moves {
		db.gone.CompareAndSwap(nil, gone)
	}
	return gone
}

func same(path string, was os.FileInfo) error {
	is, err := os.Stat(path)
	if err == nil && !os.SameFile(is, was) {
		err = fmt.Errorf("%s is another file", path)
	}
	return err
}

// refuse returns the error of InPlace if it has failed before.
func (db *DB) refuse() error {
	if err := db.gone.Load(); err != nil {
		return err
	}
	return nil
}
