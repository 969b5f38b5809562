package sqlitedb

import "testing"

// Two connections of ViewTwo see the same rows, however often somebody else commits.
func TestViewTwoSeesOneSnapshot(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			err := db.Update(t.Context(), func(c *Conn) error {
				return c.Exec("INSERT INTO item (name) VALUES (hex(randomblob(16)))")
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	count := func(c *Conn) (n int) {
		if _, err := c.One("SELECT count(*) FROM item", nil, func(r *Row) error { n = r.Int(0); return nil }); err != nil {
			t.Error(err)
		}
		return n
	}
	for seen := 0; seen < 500 && !t.Failed(); {
		err := db.ViewTwo(t.Context(), func(a, b *Conn) error {
			seen = count(a)
			if second := count(b); seen != second {
				t.Errorf("one reader sees %d rows, the other %d", seen, second)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
}
