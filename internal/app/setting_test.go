package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/setting"
	"github.com/loci-memory/loci/internal/setting/settingtest"
)

func init() {
	deeds[setting.Change] = func(c *company, ctx context.Context) error {
		return second(c.Setting.Set(ctx, c.operator, "dream.at", new("02:15")))
	}
}

// valueOf returns the present value of a setting and who decided it.
func valueOf(t *testing.T, a *app.App, p loci.Principal, key string) (string, loci.SettingSource) {
	t.Helper()
	list, err := a.Setting.List(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if one.Key == key {
			return one.Value, one.Source
		}
	}
	t.Fatalf("there is no %s", key)
	return "", ""
}

func wantSetting(t *testing.T, a *app.App, p loci.Principal, key, value string, source loci.SettingSource) {
	t.Helper()
	if got, by := valueOf(t, a, p, key); got != value || by != source {
		t.Errorf("%s is %s by %s, want %s by %s", key, got, by, value, source)
	}
}

// TestSettingsChange requires that a change holds at once here, after a second elsewhere, and that a reset takes it
// back.
func TestSettingsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Settings = settingtest.Options() })
	still := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	now := &still
	other := app.New(app.Options{Store: w.st, Now: func() time.Time { return *now }, Settings: settingtest.Options()})
	ctx := t.Context()
	wantSetting(t, other, w.local, "dream.at", "03:30", loci.SetByDefault)
	for key, value := range map[string]string{"dream.at": "02:15", "dedup.enabled": "off", "embed.model": "small"} {
		got, err := w.Setting.Set(ctx, w.local, key, &value)
		dated := !got.ChangedAt.IsZero() || key == "embed.model"
		if err != nil || got.Value != value || got.Source != loci.SetByAdmin || !dated {
			t.Errorf("%s: %+v, %v", key, got, err)
		}
		wantSetting(t, w.App, w.owner, key, value, loci.SetByAdmin)
	}
	wantSetting(t, other, w.local, "dream.at", "03:30", loci.SetByDefault)
	later := still.Add(time.Second)
	now = &later
	wantSetting(t, other, w.local, "dream.at", "02:15", loci.SetByAdmin)
	if c := other.Setting.Changed(ctx); len(c) != 2 || c["dedup.enabled"].Value != "off" {
		t.Errorf("changed are %v", c)
	}
	for _, key := range []string{"dream.at", "dedup.enabled", "embed.model"} {
		got, err := w.Setting.Set(ctx, w.local, key, nil)
		if err != nil || got.Value != got.Default || got.Source != loci.SetByDefault {
			t.Errorf("%s: %+v, %v", key, got, err)
		}
	}
	if c := w.Setting.Changed(ctx); len(c) != 0 {
		t.Errorf("changed are still %v", c)
	}
}

// TestSettingsRefuse tries what nobody may do, and requires that nothing changes.
func TestSettingsRefuse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Settings = settingtest.Options() })
	admin := w.owner
	admin.Kind, admin.Method = loci.KindAdmin, loci.BySignIn
	for name, tt := range map[string]struct {
		p          loci.Principal
		key, value string
		want       loci.Code
	}{
		"nobody":             {loci.Principal{}, "dream.at", "02:15", loci.Unauthenticated},
		"a person":           {w.owner, "dream.at", "02:15", loci.Forbidden},
		"an assistant":       {w.claude, "dream.at", "02:15", loci.Forbidden},
		"an old proof":       {admin, "dream.at", "02:15", loci.StepUp},
		"an unknown key":     {w.local, "dream", "02:15", loci.NotFound},
		"a secret":           {w.local, "embed.api_key", "x", loci.NotFound},
		"a bad value":        {w.local, "dream.at", "25:00", loci.Invalid},
		"no choice":          {w.local, "embed.model", "../x", loci.Invalid},
		"read at the start":  {w.local, "egress", "off", loci.Conflict},
		"by the operator":    {w.local, "reflect.model", "x", loci.Conflict},
		"a default by force": {w.local, "dedup.enabled", "", loci.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Setting.Set(t.Context(), tt.p, tt.key, &tt.value)
			wantCode(t, err, tt.want)
		})
	}
	for key, value := range map[string]string{"dream.at": "03:30", "egress": "on", "reflect.model": "reader",
		"dedup.enabled": "on", "embed.model": "off"} {
		if got, _ := valueOf(t, w.App, w.owner, key); got != value {
			t.Errorf("%s is %s", key, got)
		}
	}
	_, err := w.Setting.List(t.Context(), w.claude)
	wantCode(t, err, loci.Forbidden)
}
