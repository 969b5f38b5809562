//go:build firstview

package web_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestGraphView measures a graph of a running server: LOCI_LINK signs in, LOCI_GRAPH is the project.
// It prints the time until the drawing is there, and that of frames while the mouse moves it.
func TestGraphView(t *testing.T) {
	b := newTab(t)
	b.watchErrors()
	b.do("wide window", chromedp.EmulateViewport(1280, 800))
	b.open(os.Getenv("LOCI_LINK"))
	b.until(`document.querySelector("form button, .live")`)
	b.press("form button")
	b.until(`location.pathname.startsWith("/app/")`)
	b.measureGraph(b.evaluate(`location.origin`) + "/app/graph/" + os.Getenv("LOCI_GRAPH"))
	if b.shots != "" {
		b.save(fmt.Sprint("graph-measured-", os.Getenv("LOCI_GRAPH")))
	}
	b.clean()
}

// measureGraph measures the first drawing of a graph, and the frames while it moves.
func (b *tab) measureGraph(address string) {
	b.t.Helper()
	began := time.Now()
	b.open(address)
	b.until(`document.querySelector(".graph-picture canvas")`)
	drawn := b.evaluate(`document.querySelector(".graph-picture").dataset.drawn`)
	b.t.Logf("graph: drawn %s ms after the navigation (%v seen from outside)", drawn,
		time.Since(began).Round(time.Millisecond))
	b.seesNo("Arranging…")
	frames, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(async () => {
		const layer = document.querySelector(".graph-picture .sigma-mouse");
		const send = (type, x, y, to = layer) => to.dispatchEvent(
			new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, button: 0, buttons: 1 }));
		const times = [];
		send("mousedown", 700, 400);
		let last = performance.now();
		for (let i = 1; i <= 20; i++) {
			send("mousemove", 700 + 3 * i, 400 + 2 * i, document);
			await new Promise(requestAnimationFrame);
			times.push(performance.now() - last);
			last = performance.now();
		}
		send("mouseup", 880, 520, document);
		times.sort((a, b) => a - b);
		return "median " + times[10].toFixed(0) + " ms, p95 " + times[18].toFixed(0) + " ms";
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Log("graph: frames while panning: " + frames)
}
