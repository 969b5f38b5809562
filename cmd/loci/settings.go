package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/setting"
)

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
	if err != nil {
		return err
	}
	s, err := findNamed(list, c.args[0], func(s loci.Setting) (string, string) { return s.Key, s.Key }, "setting",
		"loci settings list")
	if err != nil {
		return err
	}
	s, err = c.app.Setting.Set(ctx, c.operator, s.Key, value)
	return p.show(s, err, "setting", s.Key, "value", s.Value, "default", s.Default, "set by", string(s.Source))
}
