package arctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	validName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,127}$`)
)

// write takes columns of msgpack into the memory.
func (a *Arc) write(name string, body []byte) answered {
	if bytes.HasPrefix(body, zstdMagic) {
		var err error
		if body, err = a.unzip.DecodeAll(body, nil); err != nil {
			return failed(400, "Invalid zstd compression: %s", err)
		}
	}
	var in struct {
		M       string           `msgpack:"m"`
		Columns map[string][]any `msgpack:"columns"`
	}
	if err := msgpack.Unmarshal(body, &in); err != nil {
		return failed(400, "Invalid MessagePack payload: %s", err)
	}
	if !validName.MatchString(name) || !validName.MatchString(in.M) {
		return failed(400, "invalid database or measurement name")
	}
	times, bad := timesOf(in.Columns["time"])
	if bad != "" {
		return failed(400, "Invalid MessagePack payload: %s", bad)
	}
	rows := make([]map[string]any, len(times))
	for i, at := range times {
		rows[i] = map[string]any{"time": at}
	}
	for column, values := range in.Columns {
		if len(values) != len(times) {
			return failed(400, "Invalid MessagePack payload: columnar format: array length mismatch")
		}
		if bad := mixed(values); bad != "" {
			return failed(500, "Failed to write records: failed to convert columns: %s in column %q", bad, column)
		}
		for i, v := range values {
			if column != "time" {
				rows[i][column] = v
			}
		}
	}
	for _, row := range rows {
		if a.refuse != nil && a.refuse(row) {
			return failed(500, "Failed to write records: failed to convert columns")
		}
	}
	a.memory = append(a.memory, buffered{name, in.M, rows, a.now().Add(a.Delay)})
	a.writes++
	return answered{status: 204}
}

// timesOf guesses the unit of all times from the first one.
func timesOf(values []any) (times []string, bad string) {
	unit := int64(0)
	for _, v := range values {
		n, ok := number(v)
		if !ok {
			return nil, fmt.Sprintf("failed to normalize timestamps: invalid timestamp type: %T", v)
		}
		if unit == 0 {
			switch {
			case n < 1e10:
				unit = 1e6
			case n < 1e13:
				unit = 1e3
			case n < 1e16:
				unit = 1
			default:
				unit = -1e3
			}
		}
		micros := n * unit
		if unit < 0 {
			micros = n / -unit
		}
		times = append(times, time.UnixMicro(micros).UTC().Format(timeLayout))
	}
	if len(times) == 0 {
		return nil, "no rows"
	}
	return times, ""
}

func number(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), true //nolint:gosec // a fake
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	}
	return 0, false
}

// mixed returns what is wrong with the types of a column.
func mixed(values []any) string {
	kind := func(v any) string {
		if _, ok := number(v); ok {
			return "int64"
		}
		return fmt.Sprintf("%T", v)
	}
	for _, v := range values {
		switch k := kind(v); {
		case k != kind(values[0]):
			return "unexpected type " + k
		case k == "[]uint8":
			return "unsupported type " + k
		}
	}
	return ""
}

// forbiddenInWhere are words that a deletion must not have, even in a literal.
var forbiddenInWhere = regexp.MustCompile(
	`(?i)\b(DROP|DELETE|INSERT|UPDATE|EXEC|EXECUTE|UNION|SELECT|CREATE|ALTER|COPY|ATTACH|DETACH|LOAD|INSTALL|PRAGMA|` +
		`CALL|SET)\b|;|--|/\*`)

// erase deletes rows on the disk, not those in memory.
func (a *Arc) erase(body []byte) answered {
	var in struct {
		Database, Measurement, Where string
		Confirm                      bool
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return failed(400, "Invalid request body: %s", err)
	}
	a.statements = append(a.statements, in.Where)
	switch {
	case a.noDelete:
		return failed(403, "Delete operations are disabled. Set delete.enabled=true in arc.toml to enable.")
	case strings.TrimSpace(in.Where) == "" || forbiddenInWhere.MatchString(in.Where):
		return failed(400, "WHERE clause contains forbidden keyword")
	case !in.Confirm:
		return failed(400, "Confirmation required")
	}
	n, err := a.database(in.Database).erase(in.Measurement, in.Where)
	if err != nil {
		return failed(500, "Failed to find affected files: %s", err)
	}
	return answered{200, map[string]any{"success": true, "deleted_count": n}}
}
