package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/hub"
	"github.com/loci-memory/loci/internal/setting"
)

// shown lists the settings that people may look at, in that order. A server takes over changes of those that are not
// fixed while it runs.
func shown() []shownSetting {
	list := []shownSetting{{"embed/model", false}, {"embed/base_url", true}, {"egress", true}}
	for _, t := range dreamKeys() {
		list = append(list, shownSetting{t.key, false})
	}
	return append(list, shownSetting{"reflect/base_url", true}, shownSetting{"reflect/model", true},
		shownSetting{"reflect/tokens_per_day", true}, shownSetting{"dedup/enabled", false},
		shownSetting{"dedup/window_hours", false}, shownSetting{"sessions/idle_hours", false})
}

type shownSetting struct {
	key   string
	fixed bool
}

// decided returns the values that are set, of the settings that people may look at.
func decided(values map[string]any) map[string]string {
	out := map[string]string{}
	for _, one := range shown() {
		if v, ok := values[one.key]; ok {
			out[one.key] = written(one.key, v)
		}
	}
	return out
}

// written is a value as a configuration would write it. An address may have a password, so only its host is shown.
func written(key string, v any) string {
	text := strings.TrimSpace(fmt.Sprint(v))
	switch on, isSwitch := v.(bool); {
	case isSwitch && on:
		return "on"
	case isSwitch:
		return "off"
	case strings.HasSuffix(key, "/base_url") && text != "":
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return "set"
		}
		return u.Scheme + "://" + u.Host
	}
	return text
}

// settingKeys returns the settings for the people who look at them and change them.
func (p *program) settingKeys() setting.Options {
	o := setting.Options{Check: checkSetting}
	for _, one := range shown() {
		value, isDecided := p.settings.Decided[one.key]
		k := setting.Key{Name: dotted(one.key), Configured: value, Operator: isDecided, Fixed: one.fixed}
		for _, t := range known {
			if t.key == one.key {
				k.Default = t.fallback
			}
		}
		switch one.key {
		case "embed/model":
			p.modelKey(&k)
		case "dedup/enabled":
			k.Choices = func() ([]string, error) { return []string{"on", "off"}, nil }
		}
		o.Keys = append(o.Keys, k)
	}
	return o
}

// modelKey makes the model of embeddings a choice between those on this machine. Which one is in use is where `loci
// models use` keeps it. With an endpoint, there is no choice.
func (p *program) modelKey(k *setting.Key) {
	dir := modelsDir(p.settings.DataDir)
	k.Default, k.Fixed = embed.Off, p.settings.Embed.Endpoint.BaseURL != ""
	k.Get = func() string { return embed.InUse(dir) }
	k.Set = func(name string) error { return embed.Use(dir, name) }
	k.Choices = func() ([]string, error) {
		list, err := hub.List(dir)
		choices := []string{embed.Off}
		for i := range list {
			if list[i].Complete {
				choices = append(choices, list[i].Name)
			}
		}
		return choices, err
	}
}

// checkSetting returns why a setting cannot have a value.
func checkSetting(name, value string) error {
	for _, t := range known {
		if dotted(t.key) == name {
			r := &reader{values: map[string]any{t.key: value}}
			t.set(&settings{}, testedValue(r, t.key))
			return r.err
		}
	}
	return loci.FieldErrorf(name, "is not a setting")
}

// testedValue is a value whose errors name the key alone, because it comes from no variable.
func testedValue(r *reader, key string) value { return value{r, key, dotted(key)} }

// with returns the settings with values that people changed, each of which checkSetting has passed.
func (s *settings) with(changed map[string]loci.StoredSetting) *settings {
	if len(changed) == 0 {
		return s
	}
	now := *s
	now.Dream.Thresholds = maps.Clone(s.Dream.Thresholds)
	for _, t := range known {
		if one, ok := changed[dotted(t.key)]; ok {
			t.set(&now, testedValue(&reader{values: map[string]any{t.key: one.Value}}, t.key))
		}
	}
	return &now
}

// thresholds returns those of the dream-cycle at the moment.
func (in *instance) thresholds(ctx context.Context) map[loci.CandidateKind]float64 {
	return in.settings(ctx).Dream.Thresholds
}
