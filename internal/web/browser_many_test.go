package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
)

// TestBrowserDashboardInboxMany has 10,000 candidates in the inbox: only the rows in sight are in the page, keys decide
// as in a short list, and the last row can be reached.
func TestBrowserDashboardInboxMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const all, at = 10_000, 100
	for i := range all / at {
		var texts []string
		for n := range at {
			texts = append(texts, fmt.Sprintf("We keep rule %d for the releases.", i*at+n))
		}
		w.propose(texts, func(_ int, c *loci.Candidate) { c.Exceptions = []string{"low_confidence"} })
	}
	b := w.dashboard("/app/inbox")
	b.sees("Waiting10,000", "We keep rule", "82% confident")
	few := `document.querySelectorAll(".list .row").length < 60`
	b.until(few)

	// The first rows, by keyboard.
	first := b.evaluate(`document.querySelector(".reading h2").innerText`)
	b.keys("a")
	b.sees("Waiting9,999", "Accepted1")
	b.keys("x")
	b.sees("Waiting9,998", "Rejected1")
	b.keys("u")
	b.sees("Waiting9,999")
	b.keys("u")
	b.sees("Waiting10,000", first)

	// The last row.
	b.until(`(() => { const list = document.querySelector(".list"); list.scrollTop = list.scrollHeight;
		return list.querySelector("[aria-posinset='10000'][aria-setsize='10000']") })()`)
	b.until(few)
	b.do("the last one", clickOn(`.list [aria-posinset='10000'] a`))
	last := b.evaluate(`document.querySelector(".list [aria-posinset='10000'] strong").innerText`)
	b.until(fmt.Sprintf(`document.querySelector(".reading h2")?.innerText === %q`, last))
	b.keys("x")
	b.sees("Waiting9,999", "Rejected1")
	b.until(`document.querySelector(".list [aria-posinset='9999'][aria-setsize='9999']")`)
	b.keys(kb.Escape)
	b.clean()
}
