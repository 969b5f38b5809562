package language

import "testing"

func TestDestroys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"We decided to delete all memories about Ana.":        true,
		"Forget what the candidates of last week say.":        true,
		"Wir löschen die Erinnerungen an das alte Projekt.":   true,
		"On a décidé d'effacer les souvenirs de mars.":        true,
		"We decided to delete the staging cluster.":           false,
		"The cache uses too much memory.":                     false,
		"Keep the memories of the launch; they are valuable.": false,
		"": false,
	} {
		if got := Destroys(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
