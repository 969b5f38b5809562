package sqlitedb

// Version is a state of a database as one connection sees it in a transaction.
type Version struct {
	conn            *state
	elsewhere, here int64
}

// Version returns the version that the connection sees now. If it equals an earlier one, nothing that
// the connection has read since then has changed: no other connection, of any process, has committed,
// and this one has neither changed nor undone anything.
func (c *Conn) Version() (Version, error) {
	if !c.dated { // within a transaction, nobody else can change what the connection sees
		_, err := c.One("PRAGMA data_version", nil, func(r *Row) error { c.elsewhere = r.Int64(0); return nil })
		if err != nil {
			return Version{}, err
		}
		c.dated = true
	}
	return Version{c.state, c.elsewhere, c.mark()}, nil
}
