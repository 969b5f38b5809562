package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// SettingList is the settings of a deployment.
type SettingList struct {
	Settings []loci.Setting `json:"settings" nullable:"false"`
}

// SettingValue is a new value of a setting.
type SettingValue struct {
	Value string `json:"value" maxLength:"200" doc:"As the configuration would write it" example:"03:30"`
}

// Settings returns the settings of the deployment with their present values.
func (c *Client) Settings(ctx context.Context) ([]loci.Setting, error) {
	list, err := get[SettingList](ctx, c, "/settings")
	if err != nil {
		return nil, err
	}
	return list.Settings, nil
}

// SetSetting changes a setting and returns it. It requires the instance role admin and a fresh proof.
func (c *Client) SetSetting(ctx context.Context, key, value string) (*loci.Setting, error) {
	var out loci.Setting
	err := c.do(ctx, http.MethodPut, "/settings/"+url.PathEscape(key), nil, SettingValue{value}, &out)
	return &out, err
}

// ResetSetting brings the default of a setting back. It requires what SetSetting requires.
func (c *Client) ResetSetting(ctx context.Context, key string) (*loci.Setting, error) {
	var out loci.Setting
	err := c.do(ctx, http.MethodDelete, "/settings/"+url.PathEscape(key), nil, nil, &out)
	return &out, err
}
