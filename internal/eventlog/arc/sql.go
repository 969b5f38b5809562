package arc

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// maxStatement is how many bytes a statement may have in Arc.
const maxStatement = 10_000

// statement is SQL that may be sent. Only the methods of table make one, so each names its org.
type statement struct {
	text    string
	columns []column // of the answer
}

// table is the measurement of an org.
type table struct {
	org         loci.OrgID
	measurement string
}

// window is a range of times: from the first to before the second. Arc opens only the files of the hours in it.
type window struct{ from, until time.Time }

// always is the window of everything that can be in Arc. Arc takes a missing beginning for 2020.
var always = window{firstTime, lastTime}

// selects returns a statement. what are the expressions of columns.
func (t table) selects(what string, columns []column, w window, c condition, tail string) (statement, error) {
	s := statement{"SELECT " + what + ` FROM "` + t.measurement + `" WHERE ` + t.where("'"+string(t.org)+"'", w, c) +
		" " + tail, columns}
	if err := t.org.Validate(); err != nil {
		return statement{}, err
	}
	if len(s.text) > maxStatement {
		return statement{}, loci.Errorf(loci.Invalid, "the filter is too long for Arc; use fewer or shorter values")
	}
	return s, nil
}

// erases returns the condition of a deletion. There, Arc rejects words of SQL also in a literal.
func (t table) erases(w window, c condition) (statement, error) {
	return statement{text: t.where(hexLiteral(string(t.org)), w, c)}, t.org.Validate()
}

// where begins every statement. Arc reads the times of the window from its text, the first that it
// finds, so they come before c.
func (t table) where(org string, w window, c condition) string {
	text := string(colOrg) + " = " + org + " AND time >= " + timeLiteral(w.from) + " AND time < " + timeLiteral(w.until)
	if c.sql != "" {
		text += " AND " + c.sql
	}
	return text
}

// condition is true or false for a row. The zero condition is always true. Only the functions below
// make one, so it has no text of a caller except in literals.
type condition struct{ sql string }

func compare(c column, operator, value string) condition {
	return condition{string(c) + " " + operator + " " + literal(value)}
}

func is(c column, value string) condition { return compare(c, "=", value) }

func compareNumber(c column, operator string, value int64) condition {
	return condition{string(c) + " " + operator + " " + strconv.FormatInt(value, 10)}
}

// anyOf is false for all rows if there are no values.
func anyOf(c column, values []string) condition {
	if len(values) == 0 {
		return never
	}
	if len(values) == 1 {
		return is(c, values[0])
	}
	list := loci.Mapped(values, literal)
	return condition{string(c) + " IN (" + strings.Join(list, ", ") + ")"}
}

// holds compares bytes, so it has no wildcards.
func holds(c column, value string) condition {
	return condition{"contains(" + string(c) + ", " + literal(value) + ")"}
}

var never = condition{"1 = 0"}

func not(c condition) condition { return condition{"NOT (" + c.sql + ")"} }

func all(list ...condition) condition { return join(" AND ", list) }

// either is false for all rows if the list is empty.
func either(list ...condition) condition {
	if len(list) == 0 {
		return never
	}
	return join(" OR ", list)
}

// join leaves out conditions that are always true, so it must not join only those with OR.
func join(operator string, list []condition) condition {
	var parts []string
	for _, c := range list {
		if c.sql != "" {
			parts = append(parts, c.sql)
		}
	}
	switch len(parts) {
	case 0:
		return condition{}
	case 1:
		return condition{parts[0]}
	}
	return condition{"(" + strings.Join(parts, operator) + ")"}
}

// literal returns a text as SQL. Arc changes some statements by patterns before DuckDB reads them, also
// in their literals: it replaces functions, takes times for those of the window, and ends a literal at
// \'. So everything except numbers and ids is in hexadecimal digits.
func literal(s string) string {
	if strings.Trim(s, "0123456789abcdef-") == "" && !strings.Contains(s, "--") {
		return "'" + s + "'"
	}
	return hexLiteral(s)
}

func hexLiteral(s string) string { return "decode(unhex('" + hex.EncodeToString([]byte(s)) + "'))" }

// timeLiteral has six digits for all times, in the only format that both Arc and DuckDB read.
func timeLiteral(t time.Time) string {
	return "'" + t.UTC().Format("2006-01-02T15:04:05.000000Z") + "'"
}

func limited(order string, limit int) string {
	return fmt.Sprintf("ORDER BY %s LIMIT %d", order, limit)
}

func names(list []column) string { return strings.Join(loci.Texts(list), ", ") }
