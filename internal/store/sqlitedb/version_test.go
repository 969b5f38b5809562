package sqlitedb

import "testing"

// version returns the version that the writer of db sees.
func version(t *testing.T, db *DB) (v Version) {
	t.Helper()
	mustUpdate(t, db, func(c *Conn) (err error) { v, err = c.Version(); return err })
	return v
}

func TestVersion(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	other := openAt(t, db.opts.Path) // as in another process
	for name, tt := range map[string]struct {
		do    func()
		stays bool
	}{
		"nothing":            {func() {}, true},
		"a read":             {func() { names(t, db) }, true},
		"a write":            {func() { mustUpdate(t, db, addItem("a")) }, false},
		"a write elsewhere":  {func() { mustUpdate(t, other, addItem("b")) }, false},
		"no write elsewhere": {func() { version(t, other) }, true},
		"a failed write": {func() {
			_ = db.Update(t.Context(), func(c *Conn) error { _ = addItem("c")(c); return errMine })
		}, false},
		"a failed write beside another": {func() {
			together(t, db, addItem("d"), func(c *Conn) error { _ = addItem("e")(c); return errMine })
		}, false},
	} {
		before := version(t, db)
		tt.do()
		if after := version(t, db); (after == before) != tt.stays {
			t.Errorf("%s: the version stays: %v, want %v", name, after == before, tt.stays)
		}
	}
}

// A function whose transaction is undone has seen a version that nobody sees again.
func TestVersionOfWhatIsUndone(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	seen := map[Version]int{}
	look := func(c *Conn) error {
		if err := c.Exec("INSERT INTO item (name) VALUES (?)", len(seen)+100); err != nil {
			return err
		}
		v, err := c.Version()
		seen[v]++
		return err
	}
	for range 3 { // the last function undoes what the others did, and they run again
		together(t, db, look, look, func(c *Conn) error { _ = addItem("c")(c); return errMine })
	}
	for v, n := range seen {
		if n > 1 {
			t.Errorf("%d functions saw %+v after they had written", n, v)
		}
	}
	if len(seen) < 6 {
		t.Errorf("%d versions, want one for each function at least", len(seen))
	}
}

func TestVersionOfAnotherConnection(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	before := version(t, db)
	_ = db.Update(t.Context(), func(c *Conn) error { c.inDriver = true; panic("in SQLite") }) // which loses the connection
	if after := version(t, db); after == before {
		t.Error("two connections have the same version")
	}
}
