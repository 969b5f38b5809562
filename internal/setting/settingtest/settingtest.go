// Package settingtest has settings for tests, one of each sort.
package settingtest

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/setting"
)

// Options returns settings: one with a form, one with choices, one that is read at the start, one that the
// configuration sets, and one that is kept elsewhere.
func Options() setting.Options {
	model := "off"
	return setting.Options{Check: check, Keys: []setting.Key{
		{Name: "embed.model", Default: "off",
			Choices: func() ([]string, error) { return []string{"off", "small"}, nil },
			Get:     func() string { return model }, Set: func(name string) error { model = name; return nil }},
		{Name: "egress", Default: "on", Fixed: true},
		{Name: "dream.at", Default: "03:30"},
		{Name: "reflect.model", Operator: true, Configured: "reader"},
		{Name: "dedup.enabled", Default: "on", Choices: func() ([]string, error) { return []string{"on", "off"}, nil }},
	}}
}

func check(key, value string) error {
	if _, err := time.Parse("15:04", value); key == "dream.at" && value != "off" && err != nil {
		return loci.FieldErrorf(key, "must be a time of the day such as 03:30, or off")
	}
	return nil
}
