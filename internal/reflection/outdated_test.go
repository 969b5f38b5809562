package reflection

import (
	"slices"
	"testing"
)

func TestOutdated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"We decided on PKCE since the implicit flow is deprecated.": {"the implicit flow"},
		"This supersedes mem_01hx2k9q.":                             {"mem_01hx2k9q"},
		"Replaces decision #42: we ship on Tuesdays.":               {"#42"},
		"The old runbook is outdated. Use the wiki.":                {"The old runbook"},
		"The retry rule no longer applies.":                         {"The retry rule"},
		"Die alte Preisliste ist veraltet.":                         {"Die alte Preisliste"},
		"Wir nehmen gRPC, weil die REST-Schnittstelle überholt ist": {"die REST-Schnittstelle"},
		"L'ancien guide est obsolète.":                              {"L'ancien guide"},
		"La guía antigua está desactualizada, usa la nueva.":        {"La guía antigua"},
		"O manual antigo está desatualizado.":                       {"O manual antigo"},
		"旧APIは非推奨です。":                                               {"旧API"},
		"因为旧接口已弃用，我们用新的。":                                           {"旧接口"},
		"If the API is deprecated, tell me.":                        nil,
		"The API is not deprecated.":                                nil,
		"Is the API deprecated?":                                    nil,
		"We replaced the tyres of the car.":                         nil,
		"The bakery replaces broken cups.":                          nil,
		"Remove stale branches every Friday.":                       nil,
	} {
		var got []string
		for _, o := range Outdated(text) {
			got = append(got, o.ID+o.Subject)
			if text[o.Start:o.End] != o.ID+o.Subject {
				t.Errorf("%q: the span is %q", text, text[o.Start:o.End])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestADecisionOutdatesOnlyTheOld has a reason that must not turn against the decision itself.
func TestADecisionOutdatesOnlyTheOld(t *testing.T) {
	t.Parallel()
	o := Outdated("We decided on PKCE since the implicit flow is deprecated.")[0]
	for old, want := range map[string]bool{
		"We use the implicit flow for the single-page app.": true,
		"Login uses the OAuth implicit flow.":               true,
		"We decided on PKCE for the single-page app.":       false,
		"The approval flow has three steps.":                false,
		"We decided on PKCE.":                               false,
	} {
		if got := o.Outdates(Prepare(old)); got != want {
			t.Errorf("%q: got %v, want %v", old, got, want)
		}
	}
}
