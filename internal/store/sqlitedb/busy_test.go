package sqlitedb

import "testing"

// TestBusyTimeout is what seed S3 asks for on every connection.
func TestBusyTimeout(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	timeout := func(c *Conn) error {
		_, err := c.One("PRAGMA busy_timeout", nil, func(r *Row) error {
			if r.Int(0) != 5000 {
				t.Errorf("busy_timeout is %d ms, want 5000", r.Int(0))
			}
			return nil
		})
		return err
	}
	view(t, db, timeout)
	mustUpdate(t, db, timeout)
}
