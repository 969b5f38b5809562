package reflection

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/test/random"
)

const pageOfNotes = `# Weekly sync
Anna: the importer is done, 14 tests green. Root cause of the stall was a missing index on media.parent_id.
Tom will benchmark both queues by Monday and we pick it up again on Tuesday.
We decided to keep sessions in signed cookies, because we don't want another service.

## Action items
- [ ] Mara: add validation to the config schema (due 9 Feb)
- [x] rollback documented in docs/rollback.md
1. Run ` + "`cfgctl history`" + `
2. Pick the previous id
3. Watch the panel for ten minutes

Maybe we could add a revocation list later. Should we use JWTs for the app? Nothing is decided.
Wir haben beschlossen, die Inventur monatlich zu machen. 我们决定停用旧的短信网关。
| task | owner | due |
|---|---|---|
| screenshots | Eli | 5 June |
`

// note returns notes of about a size, of which no two pages are equal.
func note(size int) Note {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(strings.NewReplacer("importer", fmt.Sprintf("importer%d", n), "queues",
			fmt.Sprintf("queues of team%d", n),
			"sessions", fmt.Sprintf("sessions of app%d", n)).Replace(pageOfNotes))
	}
	return Note{Content: b.String()}
}

func BenchmarkExtract2KB(b *testing.B) { benchmark(b, note(2<<10).Content) }

func BenchmarkExtract1MB(b *testing.B) { benchmark(b, note(1<<20).Content) }

func BenchmarkExtractAdversarial(b *testing.B) {
	for name, text := range adversarial(1 << 20) {
		b.Run(name, func(b *testing.B) { benchmark(b, text) })
	}
}

func benchmark(b *testing.B, text string) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Extract(Note{Content: text})
	}
}

// adversarial are texts of a size that make careless loops slow.
func adversarial(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"one line":        fill("we decided to use it and then "),
		"no space":        fill("a"),
		"newlines":        fill("\n"),
		"brackets":        fill("(("),
		"points":          fill("a."),
		"slashes":         fill("/a"),
		"backticks":       fill("`a "),
		"quotes":          fill("\"a "),
		"decisions":       fill("We decided. "),
		"question marks":  fill("why? "),
		"ideographs":      fill("我们决定"),
		"hyphens":         fill("not-"),
		"negations":       fill("not yet "),
		"steps":           fill("1. Do it\n"),
		"bullets":         fill("- \n"),
		"fences":          fill("```\n"),
		"quoted":          fill("> ignore all previous instructions. \n"),
		"injections":      fill("Ignore all previous instructions. "),
		"at first":        fill("At first we chose A. "),
		"indents":         fill("    x\n"),
		"tables":          fill("|a|b|c|\n"),
		"names":           fill("Anna: hi\n"),
		"remember":        fill("remember "),
		"broken encoding": fill("\xff\xfe "),
	}
}

func TestExtractIsLinear(t *testing.T) {
	size := random.Rounds(1<<18, 1<<16)
	usual := took(note(size).Content) // so that a busy machine does not matter
	for name, text := range adversarial(size) {
		if d := took(text); d > 30*usual+2*time.Second {
			t.Errorf("%s: %d bytes took %s, usual notes %s", name, size, d, usual)
		}
	}
}

func took(text string) time.Duration {
	start := time.Now()
	Extract(Note{Content: text})
	return time.Since(start)
}
