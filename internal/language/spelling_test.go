package language

import (
	"fmt"
	"strings"
	"testing"
)

func TestRespelled(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"Büro": "buero", "BÜRO": "buero", "Bu\u0308ro": "buero", "Malmö": "malmoe", "Århus": "aarhus",
		"A\u030arhus": "aarhus",
		"København":   "koebenhavn", "Straße": "", "Größe": "groesse", "naïve": "", "Ça": "", "plain": "", "": "",
		"Büro-Tür": "",
		"Ü1":       "", "Łódź": "", "東京": "", "пёс": "",
	} {
		if got := Respelled(word); got != want {
			t.Errorf("%q is also written %q, want %q", word, got, want)
		}
	}
}

func TestFoldedLetters(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"Đà": "da", "Łódź": "lodz", "Straße": "strasse", "Þór": "thor", "ðað": "dad",
		"Ærø": "aero", "Œuvre": "oeuvre", "ŧaŋka": "tanka", "Büro": "buro"} {
		if got := fold(word); got != want {
			t.Errorf("%q has the form %q, want %q", word, got, want)
		}
	}
}

func TestJoined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"We met in Hà Nội.":                     "10-19 hanoi@3",
		"Ha\u0300 No\u0323\u0302i":              "0-12 hanoi@0",
		"Từ Đà Nẵng":                            "0-9 tuda@0 5-16 danang@1",
		"hà nội; Ha Noi; Hà  Nội":               "",
		"José Ruiz met Zoë Ng":                  "",
		"The mac is 00:1A:2b:3C:4D:5E.":         "11-28 001a2b3c4d5e@3",
		"001a.2b3c.4d5e":                        "0-14 001a2b3c4d5e@0",
		"x00:1A:2b:3C:4D:5E 00:1A:2b:3C:4D:5E5": "",
		"at 10:20:30 on 10.20.30.40, 1.2.3":     "",
		"":                                      "",
	} {
		var a Analyzer
		var got []string
		for _, j := range Joined(text, a.Tokens(text, nil)) {
			got = append(got, fmt.Sprintf("%d-%d %s@%d", j.Start, j.End, j.Form, j.Position))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}
