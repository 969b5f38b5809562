package loci

import "time"

// SettingSource says who decided the value of a Setting.
type SettingSource string

// The sources of settings. An operator's value is in the configuration, and only there it can be changed.
const (
	SetByDefault  SettingSource = "default"
	SetByAdmin    SettingSource = "admin"
	SetByOperator SettingSource = "operator"
)

// Setting is one setting of the deployment, with the value that it has now, as the configuration would write it.
type Setting struct {
	Key     string        `json:"key" doc:"As in the configuration" example:"dream.at"`
	Value   string        `json:"value" example:"03:30"`
	Default string        `json:"default" doc:"The value if nobody decides" example:"03:30"`
	Source  SettingSource `json:"source" enum:"default,admin,operator" doc:"Who decided the value"`
	Fixed   bool          `json:"fixed" doc:"Only the operator can change it, in the configuration"`
	Choices []string      `json:"choices,omitempty" nullable:"false" doc:"The possible values; absent if there are too many to list"`
	// ChangedAt is when an admin or the operator changed it over the API or with a command; zero if nobody did.
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// StoredSetting is a setting that somebody changed while Loci runs.
type StoredSetting struct {
	Key, Value string
	At         time.Time
}
