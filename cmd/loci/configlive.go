package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/review"
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
	k.Default, k.Fixed = embed.BuiltIn, p.settings.Embed.Endpoint.BaseURL != ""
	k.Get = func() string { return embed.InUse(dir) }
	k.Set = func(name string) error { return embed.Use(dir, name) }
	k.Choices = func() ([]string, error) {
		list, err := p.models()
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

// dreamSettings are when the dream-cycle runs and what it promotes.
type dreamSettings struct {
	Off        bool
	At         time.Duration // since midnight, local time
	Thresholds map[loci.CandidateKind]float64
}

const defaultDream = "03:30"

// dreamKeys are the settings of the dream-cycle: when it runs, and a threshold for each kind that it promotes.
func dreamKeys() []settingKey {
	list := []settingKey{{"dream/at", "LOCI_DREAM_AT", defaultDream, func(s *settings, v value) {
		text := strings.ToLower(v.text())
		s.Dream.Off = text == "off"
		if s.Dream.Off {
			return
		}
		at, err := time.Parse("15:04", text)
		v.check(err == nil, "must be a time of the day such as 03:30, or off")
		s.Dream.At = time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	}}}
	for _, kind := range loci.CandidateKinds() {
		least, ok := review.DefaultThresholds()[kind]
		if !ok {
			continue
		}
		list = append(list, settingKey{"dream/" + string(kind), "LOCI_DREAM_" + strings.ToUpper(string(kind)),
			strconv.FormatFloat(least, 'f', -1, 64), func(s *settings, v value) {
				if s.Dream.Thresholds == nil {
					s.Dream.Thresholds = map[loci.CandidateKind]float64{}
				}
				s.Dream.Thresholds[kind] = v.number(1)
			}})
	}
	return list
}

func (p *program) settingsCommand() *cobra.Command {
	return group("settings", "Show and change the settings that Loci takes over while it runs",
		`Show and change the settings that Loci takes over while it runs. What the configuration
file, the environment or a flag sets takes precedence, and can only be changed there. The
dashboard shows the same settings, and admins of the deployment can change them there.`,
		p.settingsListCommand(), p.settingsSetCommand(), p.settingsResetCommand())
}

func (p *program) settingsListCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "list", Short: "List the settings with their present values", Annotations: does(setting.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := c.app.Setting.List(ctx, c.operator)
		return printList(p, "settings", list, err, "no settings", "SETTING|VALUE|DEFAULT|SET BY",
			func(s loci.Setting) []string {
				by := string(s.Source)
				if s.Fixed && s.Source == loci.SetByDefault {
					by += ", only the configuration can change it"
				}
				return []string{s.Key, s.Value, s.Default, by}
			})
	})
}

func (p *program) settingsSetCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "set SETTING VALUE", Short: "Change a setting; running servers take it over after a second",
		Annotations: does(setting.Change, setting.Read), Args: cobra.ExactArgs(2),
		Example: `  loci settings set dream.at 02:15
  loci settings set dream.idea 0.9`,
	}, func(ctx context.Context, c *call) error {
		return p.changeSetting(ctx, c, &c.args[1])
	})
}

func (p *program) settingsResetCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "reset SETTING", Short: "Bring the default of a setting back", Annotations: does(setting.Change, setting.Read),
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, c *call) error {
		return p.changeSetting(ctx, c, nil)
	})
}

func (p *program) changeSetting(ctx context.Context, c *call, value *string) error {
	list, err := c.app.Setting.List(ctx, c.operator)
	s, err := findNamed(list, err, c.args[0], func(s loci.Setting) (string, string) { return s.Key, s.Key }, "setting",
		"loci settings list")
	if err != nil {
		return err
	}
	s, err = c.app.Setting.Set(ctx, c.operator, s.Key, value)
	return p.show(s, err, "setting", s.Key, "value", s.Value, "default", s.Default, "set by", string(s.Source))
}
