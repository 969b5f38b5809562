package sqlstore

import "sync"

// Dialect holds what differs between databases in the shared statements. An engine chooses it
// when it opens. Statements refer to its fields in braces and lower case: {join}, {is}, {each
// m.tags}.
type Dialect struct {
	// Tenant is the parameter with the org's id, or "" if each org has its own file.
	Tenant string
	// Project is the parameter with the id of a graph's project, or "" if each project has its
	// own file.
	Project string

	Join     string // joins in the order written: the second table is looked up for each row of the first
	Is       string // an = for which NULL equals NULL
	IsNot    string // a <> for which NULL equals NULL
	Greatest string // the function that returns the largest of its arguments
	Least    string // the function that returns the smallest of its arguments
	Seq      string // the row number in a table of the registry
	Lock     string // locks rows that are read in order to write them, until the transaction ends
	Each     string // a table with the column value, from the JSON array in place of %s
	By       string // makes the database use the index in place of %s, or ""
	Numbered string // a table j with the column value, from one parameter that Numbers makes
	FeedEnd  string // selects the highest number that the feed has given out

	Numbers func([]int64) any

	Unique    error // the error of a statement if a row with its key exists
	Reference error // the error of a statement if a row that it refers to is missing, or if rows still refer to its row

	mu sync.Mutex
	// expanded keeps what Expand did, because every new connection prepares the same statements.
	expanded map[string]string
}
