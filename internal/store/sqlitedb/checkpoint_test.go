package sqlitedb

import (
	"os"
	"testing"
)

// TestLogFollowsTheDatabase writes much into a small database, and reads in between: its log must not outgrow it many
// times over, because on a full disk nobody can make it shorter.
func TestLogFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	for range 400 { // 20 MB through the log
		mustUpdate(t, db, func(c *Conn) error {
			return c.Exec("INSERT INTO item (id, name, note) VALUES (1, 'n', hex(randomblob(25000))) " +
				"ON CONFLICT (id) DO UPDATE SET note = excluded.note")
		})
		names(t, db)
	}
	log, err := os.Stat(db.opts.Path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(6 << 20); log.Size() > limit {
		file, _ := os.Stat(db.opts.Path)
		t.Errorf("the log has %d bytes beside a database of %d, want at most %d", log.Size(), file.Size(), limit)
	}
}
