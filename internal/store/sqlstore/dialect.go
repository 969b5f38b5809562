package sqlstore

// Dialect is how one database says what the shared statements need. An engine chooses it when it opens. Texts of
// statements name the fields in braces, in lower case: {join}, {is}, {each m.tags}.
type Dialect struct {
	// Tenant is the parameter that holds the org, or "" if the file is the tenant.
	Tenant string
	// Project is the parameter that holds the project of a graph, or "" if the file is the project.
	Project string

	Join     string // joins in the order as written: the second table is looked up for each row of the first
	Is       string // = in which NULL equals NULL
	IsNot    string // <> in which NULL equals NULL
	Greatest string // the function that returns the largest of its arguments
	Least    string // the function that returns the smallest of its arguments
	Seq      string // the number that a table of the registry gives its rows
	Lock     string // keeps rows that are read for writing from changing until the transaction ends
	Each     string // a table with the column value, from the JSON array that stands for %s
	By       string // makes the index that stands for %s drive, or ""
	Numbered string // a table j with the column value, from one parameter that Numbers makes
	FeedEnd  string // selects the highest number that the feed has given out

	Numbers func([]int64) any

	Unique    error // what a statement fails with if a row with its key exists
	Reference error // what a statement fails with if a row that it refers to is missing, or is still referred to
}
