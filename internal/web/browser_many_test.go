package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
)

// TestBrowserDashboardInboxMany has 10,000 candidates in the inbox: only the rows in sight are in the page, keys decide
// as in a short list, and so do they far below.
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

	// A row far below. Those after it are read when the end of the list comes near.
	b.until(`(() => { const list = document.querySelector(".list"); list.scrollTop = list.scrollHeight;
		return +list.querySelector("li:last-child").ariaPosInSet > 1000 })()`)
	b.until(few)
	below := b.evaluate(`document.querySelector(".list li:last-child").ariaPosInSet`)
	b.do("a row below", clickOn(".list li:last-child a"))
	b.until(`document.querySelector(".reading h2")?.innerText ===
		document.querySelector(".list .current strong").innerText`)
	b.keys("x")
	b.sees("Waiting9,999", "Rejected1")
	b.until("+document.querySelector('.list .current').ariaPosInSet >= " + below + " - 1")
	b.keys(kb.Escape)
	b.clean()
}
