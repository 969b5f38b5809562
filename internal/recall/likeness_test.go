package recall

import (
	"os"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestRewordedTexts has pairs that say the same with other words, and pairs that share words and say something else.
// None of the latter may be found, and most of the former must be.
func TestRewordedTexts(t *testing.T) {
	found := 0
	same := [][2]string{
		{"Ada prefers tea over coffee, green tea in the morning", "Ada drinks tea, never coffee; green in the morning"},
		{"Mara prefers tea and does not like coffee.", "Mara prefers tea to coffee, which she does not like."},
		{
			"The nightly backup job writes to the server in the cellar.",
			"At night the backup job writes to the cellar server.",
		},
		{"Lena owns billing and invoices since November.", "Since November billing and invoices belong to Lena."},
		{"We review every pull request before the merge.", "Every pull request gets a review before we merge it."},
		{"Oskar takes the school bus with Mila in the morning.", "In the morning Oskar and Mila take the school bus."},
		{"Der Server der Buchhaltung steht im Keller in Bern.", "Im Keller in Bern steht der Server für die Buchhaltung."},
		{
			"The offsite in spring takes place in the old mill near Ghent.",
			"In spring we meet in the old mill near Ghent for the offsite.",
		},
	}
	for _, p := range same {
		if Read(p[0]).Reworded(Read(p[1])) > 0 {
			found++
		} else {
			t.Logf("missed: %q, %q", p[0], p[1])
		}
	}
	if found < len(same)-1 {
		t.Errorf("found %d of %d", found, len(same))
	}
	for _, p := range [][2]string{
		{"Ada reviews the backend pull requests every morning.", "Ada merges the frontend pull requests every evening."},
		{"The staging host is eu-2 in Frankfurt.", "The production host is us-1 in Ohio."},
		{"Tomasz owns the billing service and the notifier.", "Aiko owns the search service and the dashboards."},
		{"Oskar has a new teacher since November.", "Oskar has a new bicycle since November."},
		{"The checkout tests run on every push to main.", "The checkout page shows a banner on every error."},
		{"The office in Bern closes at 18:00 on weekdays.", "The office in Bern opens at 8:00 on weekdays."},
		{"Deploys of the shop need the approval of Lena.", "Deploys of the wiki need no approval."},
		{"Mila is allergic to nuts and eggs.", "Mila collects stamps and old coins."},
		{"Logging is enabled on the production database servers.", "On the production database servers logging is disabled."},
		{"The report for March goes to the board.", "The report for April goes to the board."},
		{"We use Redis for the session cache of the shop.", "We use Postgres for the order history of the shop."},
		{"The kitchen gets new tiles and a window.", "The bathroom gets new tiles and a door."},
	} {
		if score := Read(p[0]).Reworded(Read(p[1])); score > 0 {
			t.Errorf("%q, %q: %v", p[0], p[1], score)
		}
	}
}

// TestLikenessOfLabelledPairs compares the pairs of testdata/likeness.txt. It allows no paraphrase
// and no unrelated pair to be called a contradiction, and a few contradictions to be missed.
func TestLikenessOfLabelledPairs(t *testing.T) {
	raw, err := os.ReadFile("testdata/likeness.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[loci.Likeness]int{}
	total := 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) != 3 {
			t.Fatalf("bad line %q", line)
		}
		score, like := Compare(f[1], f[2])
		if counts[f[0]] == nil {
			counts[f[0]] = map[loci.Likeness]int{}
		}
		counts[f[0]][like]++
		total++
		wrong := f[0] == "same" && like != loci.Duplicate || f[0] == "unrelated" && like != "" ||
			f[0] == "paraphrase" && (like == loci.Contradiction || like == loci.Duplicate)
		if wrong {
			t.Errorf("%s: %q, %q: %q %.3f", f[0], f[1], f[2], like, score)
		} else if f[0] == "contradiction" && like != loci.Contradiction {
			t.Logf("missed: %q, %q: %q %.3f", f[1], f[2], like, score)
		}
	}
	called := 0
	for _, of := range counts {
		called += of[loci.Contradiction]
	}
	of := counts["contradiction"]
	precision := float64(of[loci.Contradiction]) / float64(called)
	found := float64(of[loci.Contradiction]) / float64(of[loci.Contradiction]+of[loci.NearDuplicate]+of[""])
	t.Logf("%d pairs; contradictions: precision %.2f, recall %.2f", total, precision, found)
	if total < 40 || precision < 1 || found < 0.9 {
		t.Errorf("%d pairs; contradictions: precision %.2f, recall %.2f; want at least 40, 1.00 and 0.90", total, precision,
			found)
	}
}
