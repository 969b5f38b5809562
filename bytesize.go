package loci

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// byteUnits are powers of 1024.
var byteUnits = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// ShowBytes formats a size for a person.
func ShowBytes(n int64) string {
	f, unit := float64(n), 0
	for f >= 1024 && unit < len(byteUnits)-1 {
		f, unit = f/1024, unit+1
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return fmt.Sprintf("%.1f %s", f, byteUnits[unit])
}

// ParseBytes parses a size such as 1048576, 50MiB or 2G. Its error names the field.
func ParseBytes(field, s string) (int64, error) {
	number := strings.TrimRight(s, "KkMmGgTtIiBb ")
	power := int64(1)
	switch strings.ToLower(strings.TrimSpace(s[len(number):])) {
	case "", "b":
	case "k", "kb", "kib":
		power = 1 << 10
	case "m", "mb", "mib":
		power = 1 << 20
	case "g", "gb", "gib":
		power = 1 << 30
	case "t", "tb", "tib":
		power = 1 << 40
	default:
		number = ""
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/power {
		return 0, FieldErrorf(field, "must be a size like 1048576, 50MiB or 2GiB")
	}
	return n * power, nil
}
