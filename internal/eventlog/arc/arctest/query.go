package arctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

const timeLayout = "2006-01-02T15:04:05.000000Z"

const (
	maxSQL   = 10_000
	maxHours = 50_000
)

var (
	literals  = regexp.MustCompile(`'(?:[^']|'')*'`)
	forbidden = regexp.MustCompile(
		`(?i)\b(DELETE\s+FROM|INSERT\s+INTO|ATTACH|DETACH|COPY|PRAGMA|SET|RESET|LOAD|INSTALL|CALL)\b`)
	fromTime  = regexp.MustCompile(`(?i)time\s*>=\s*'([^']+)'`)
	untilTime = regexp.MustCompile(`(?i)time\s*<\s*'([^']+)'`)
	source    = regexp.MustCompile(`FROM "?([A-Za-z0-9_-]+)"?`)
	noColumn  = regexp.MustCompile(`no such column: (\w+)`)
)

// query runs a statement.
func (a *Arc) query(name string, body []byte) answered {
	var in struct{ SQL string }
	if err := json.Unmarshal(body, &in); err != nil {
		return failed(400, "Invalid request body: %s", err)
	}
	a.statements = append(a.statements, in.SQL)
	outside := literals.ReplaceAllString(in.SQL, "''")
	switch {
	case in.SQL == "":
		return failed(400, "SQL query is required")
	case len(in.SQL) > maxSQL:
		return failed(400, "SQL query exceeds maximum length (10000 characters)")
	case strings.Contains(outside, ";"):
		return failed(400, "Multiple SQL statements are not allowed")
	case forbidden.MatchString(outside):
		return failed(400, "Dangerous SQL operation not allowed")
	case strings.Contains(strings.ToLower(in.SQL), "read_parquet"), strings.Contains(in.SQL, `\'`):
		return failed(500, "Catalog Error: Table does not exist!") // its patterns look into literals
	}
	m := source.FindStringSubmatch(in.SQL)
	if m == nil {
		return failed(500, "Parser Error")
	}
	d := a.database(name)
	if !d.has(m[1]) {
		return answered{200, map[string]any{"success": true, "columns": []any{}, "data": []any{}, "row_count": 0}}
	}
	d.hide(m[1], a.hidden(d, m[1], in.SQL))
	columns, data, err := d.query(in.SQL)
	if err != nil {
		if c := noColumn.FindStringSubmatch(err.Error()); c != nil {
			return failed(500, "arrow query failed: Binder Error: Referenced column %q not found in FROM clause!", c[1])
		}
		return failed(500, "arrow query failed: %s", err)
	}
	return answered{200, map[string]any{"success": true, "columns": columns, "data": data, "row_count": len(data)}}
}

// hidden returns the hours of a statement's window that the instance believes to be empty.
func (a *Arc) hidden(d *database, measurement, sql string) (list []string) {
	from, until := timeIn(fromTime, sql), timeIn(untilTime, sql)
	if from.IsZero() || until.IsZero() || until.Sub(from) > maxHours*time.Hour {
		return nil
	}
	now, hours := a.now(), d.hours(measurement)
	any := false
	for hour := from.Truncate(time.Hour); hour.Before(until); hour = hour.Add(time.Hour) {
		key := measurement + " " + hour.Format(timeLayout)
		there := hours[hour.Format(timeLayout)]
		if until, cached := d.empty[key]; cached && now.Before(until) {
			there = false
		} else if !there {
			d.empty[key] = now.Add(a.Cache)
		}
		if any = any || there; !there {
			list = append(list, hour.Format(timeLayout))
		}
	}
	if !any {
		return nil // it reads all files
	}
	return list
}

func timeIn(pattern *regexp.Regexp, sql string) time.Time {
	m := pattern.FindStringSubmatch(sql)
	if m == nil {
		return time.Time{}
	}
	t, _ := time.Parse(time.RFC3339Nano, m[1])
	return t
}

// database has the measurements of one database, each as a table and a view of it.
type database struct {
	db      *sqlite3.Conn
	columns map[string]map[string]bool
	empty   map[string]time.Time // hours that had no rows, until then
}

func newDatabase() *database {
	db, err := sqlite3.Open(":memory:")
	must(err)
	must(db.CreateFunction("contains", 2, sqlite3.DETERMINISTIC, func(ctx sqlite3.Context, arg ...sqlite3.Value) {
		ctx.ResultBool(strings.Contains(arg[0].Text(), arg[1].Text()))
	}))
	must(db.CreateFunction("decode", 1, sqlite3.DETERMINISTIC, func(ctx sqlite3.Context, arg ...sqlite3.Value) {
		ctx.ResultText(string(arg[0].RawBlob()))
	}))
	must(db.Exec("CREATE TABLE hidden (hour TEXT)"))
	return &database{db, map[string]map[string]bool{}, map[string]time.Time{}}
}

func must(err error) {
	if err != nil {
		panic("arctest: " + err.Error())
	}
}

func (d *database) close() { _ = d.db.Close() }

func (d *database) has(measurement string) bool { return d.columns[measurement] != nil }

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// insert adds rows, and columns that are new.
func (d *database) insert(measurement string, rows []map[string]any) {
	known := d.columns[measurement]
	files, view := quoted("files of "+measurement), quoted(measurement)
	if known == nil {
		known = map[string]bool{}
		d.columns[measurement] = known
		must(d.db.Exec("CREATE TABLE " + files + " (time TEXT)"))
		must(d.db.Exec("CREATE INDEX " + quoted("index of "+measurement) + " ON " + files + " (time)"))
	}
	grown := false
	for column := range rows[0] {
		if column != "time" && !known[column] {
			known[column], grown = true, true
			must(d.db.Exec("ALTER TABLE " + files + " ADD COLUMN " + quoted(column)))
		}
	}
	if grown || len(known) == 0 {
		list := "time"
		for _, c := range slices.Sorted(maps.Keys(known)) {
			list += ", " + quoted(c)
		}
		must(d.db.Exec("DROP VIEW IF EXISTS " + view))
		must(d.db.Exec("CREATE VIEW " + view + " AS SELECT " + list + " FROM " + files +
			" WHERE substr(time, 1, 13) || ':00:00.000000Z' NOT IN (SELECT hour FROM hidden)"))
	}
	names := slices.Sorted(maps.Keys(rows[0]))
	list, marks := make([]string, len(names)), strings.TrimSuffix(strings.Repeat("?,", len(names)), ",")
	for i, n := range names {
		list[i] = quoted(n)
	}
	st, _, err := d.db.Prepare("INSERT INTO " + files + " (" + strings.Join(list, ",") + ") VALUES (" + marks + ")")
	must(err)
	must(d.db.Exec("BEGIN"))
	for _, row := range rows {
		for i, n := range names {
			must(bind(st, i+1, row[n]))
		}
		st.Step()
		must(st.Reset())
	}
	must(errors.Join(d.db.Exec("COMMIT"), st.Close()))
}

func bind(st *sqlite3.Stmt, i int, v any) error {
	if n, ok := number(v); ok {
		return st.BindInt64(i, n)
	}
	switch v := v.(type) {
	case string:
		return st.BindText(i, v)
	case float64:
		return st.BindFloat(i, v)
	case nil:
		return st.BindNull(i)
	}
	return fmt.Errorf("a value of type %T", v)
}

// hide makes the rows of some hours invisible.
func (d *database) hide(measurement string, hours []string) {
	must(d.db.Exec("DELETE FROM hidden"))
	for _, h := range hours {
		if d.hours(measurement)[h] {
			must(d.db.Exec("INSERT INTO hidden (hour) VALUES ('" + h + "')"))
		}
	}
}

// hours returns the hours that have rows.
func (d *database) hours(measurement string) map[string]bool {
	_, rows, err := d.query("SELECT DISTINCT substr(time, 1, 13) || ':00:00.000000Z' FROM " +
		quoted("files of "+measurement))
	must(err)
	hours := map[string]bool{}
	for _, row := range rows {
		hour, _ := row[0].(string)
		hours[hour] = true
	}
	return hours
}

func (d *database) count() (n int) {
	for measurement := range d.columns {
		_, rows, err := d.query("SELECT count(*) FROM " + quoted("files of "+measurement))
		must(err)
		rows1, _ := rows[0][0].(int64)
		n += int(rows1)
	}
	return n
}

// double stores every row once more.
func (d *database) double() {
	for measurement := range d.columns {
		files := quoted("files of " + measurement)
		must(d.db.Exec("INSERT INTO " + files + " SELECT * FROM " + files))
	}
}

func (d *database) erase(measurement, where string) (int64, error) {
	if !d.has(measurement) {
		return 0, nil
	}
	err := d.db.Exec("DELETE FROM " + quoted("files of "+measurement) + " WHERE " + where)
	return d.db.Changes(), err
}

// query returns rows as JSON has them.
func (d *database) query(sql string) (columns []string, data [][]any, err error) {
	st, _, err := d.db.Prepare(sql)
	if err != nil {
		return nil, nil, err
	}
	defer st.Close()
	for i := range st.ColumnCount() {
		columns = append(columns, st.ColumnName(i))
	}
	data = [][]any{}
	for st.Step() {
		row := make([]any, len(columns))
		for i, name := range columns {
			row[i] = cell(st, i, name)
		}
		data = append(data, row)
	}
	return columns, data, st.Err()
}

func cell(st *sqlite3.Stmt, i int, name string) any {
	switch st.ColumnType(i) {
	case sqlite3.INTEGER:
		return st.ColumnInt64(i)
	case sqlite3.FLOAT:
		return st.ColumnFloat(i)
	case sqlite3.TEXT:
		text := st.ColumnText(i)
		if name == "time" || name == "first" || name == "last" {
			if t, err := time.Parse(timeLayout, text); err == nil {
				return t.Format(time.RFC3339Nano) // without zeros at the end
			}
		}
		return text
	}
	return nil
}
