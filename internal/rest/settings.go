package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/setting"
)

// The routes about the settings of the deployment.
var settingRoutes = table{"settings", []served{
	serve("GET /settings", route{ID: "listSettings", Who: forPeople, Action: setting.Read,
		Summary: "List the settings of the deployment",
		Text: "The values of now, in a fixed order. fixed is true if only the operator can change one, in the " +
			"configuration. Secrets are not settings here, and of an address you see only the host.",
		Out: client.SettingList{Settings: []loci.Setting{exampleSetting}}}, (*server).settings),
	serve("PUT /settings/{key}", route{ID: "setSetting", Who: forPeople, Action: setting.Change, Limit: expensive,
		Missing: noSetting, Summary: "Change a setting",
		Text: "For people with the instance role admin. Needs step-up. The server takes the value over while it runs; " +
			"other processes on the same data directory follow after a second. 409 if only the configuration can change it.",
		In: client.SettingValue{Value: "03:30"}, Out: exampleSetting}, (*server).setSetting),
	serve("DELETE /settings/{key}", route{ID: "resetSetting", Who: forPeople, Action: setting.Change, Limit: expensive,
		Missing: noSetting, Summary: "Bring the default of a setting back",
		Text: "For people with the instance role admin. Needs step-up. You can repeat this request. 409 as above.",
		Out:  exampleSetting}, (*server).resetSetting),
}}

const noSetting missing = "setting"

var exampleSetting = loci.Setting{Key: "dream.at", Value: "03:30", Default: "03:30", Source: loci.SetByDefault}

func (s *server) settings(ctx context.Context, p loci.Principal, _ *struct{}) (*answer[client.SettingList], error) {
	list, err := s.app.Setting.List(ctx, p)
	return say(client.SettingList{Settings: orEmpty(list)}, err)
}

type settingPath struct {
	Key string `path:"key" maxLength:"100" doc:"As in the configuration" example:"dream.at"`
}

type settingInput struct {
	Key  string `path:"key" maxLength:"100" doc:"As in the configuration" example:"dream.at"`
	Body client.SettingValue
}

func (s *server) setSetting(ctx context.Context, p loci.Principal, in *settingInput) (*answer[loci.Setting], error) {
	return say(s.app.Setting.Set(ctx, p, in.Key, &in.Body.Value))
}

func (s *server) resetSetting(ctx context.Context, p loci.Principal, in *settingPath) (*answer[loci.Setting], error) {
	return say(s.app.Setting.Set(ctx, p, in.Key, nil))
}
