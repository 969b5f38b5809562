package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestBrowserDashboardPictures clicks on an entity in the drawing of a graph, and enlarges a part of the chart of a
// session while an event arrives.
func TestBrowserDashboardPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shop, work, key := w.shop(), w.session("Login page"), w.vendorKey("claude")
	for i := range 5 {
		w.clock.advance(time.Minute)
		w.logEvents(key, work, loci.Event{Content: fmt.Sprint("test ", i)})
	}
	b := w.dashboard("/app/graph/" + shop.ID.String())
	b.until(`document.querySelector(".graph-picture .sigma-mouse")`)
	b.seesNo("Arranging…")
	b.until(`(() => {
		const picture = document.querySelector(".graph-picture"), layer = picture.querySelector(".sigma-mouse");
		const box = layer.getBoundingClientRect();
		for (let x = box.left + 2; x < box.right; x += 6) for (let y = box.top + 2; y < box.bottom; y += 6) {
			const at = { bubbles: true, clientX: x, clientY: y };
			layer.dispatchEvent(new MouseEvent("mousemove", at));
			if (!picture.classList.contains("over")) continue;
			layer.dispatchEvent(new MouseEvent("click", at));
			return true;
		} })()`)
	b.until(`document.querySelector(".graph-entity h2")?.innerText`)

	b.open(w.base + "/app/sessions/" + work.ID.String())
	b.sees("5 events")
	b.until(chartFits)
	b.evaluate(`(() => {
		window.picture = () => document.querySelector(".sessions-chart canvas").toDataURL();
		window.whole = picture();
		const over = document.querySelector(".sessions-chart .u-over"), box = over.getBoundingClientRect();
		const send = (type, share, to = over) => to.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0,
			movementX: 1, clientX: box.x + share * box.width, clientY: box.y + box.height / 2 }));
		window.enlarge = () => {
			send("mouseenter", .5);
			send("mousemove", .5);
			send("mousedown", .5);
			send("mousemove", .9);
			send("mouseup", .9, document);
		};
		window.all = () => send("dblclick", .5);
		enlarge();
		return "" })()`)
	b.until("picture() !== whole")
	b.evaluate(`String(all())`)
	b.until("picture() === whole")

	// What arrives does not take the part away that the person looks at.
	b.evaluate(`String(enlarge())`)
	b.until("picture() !== whole")
	w.clock.advance(time.Minute)
	w.logEvents(key, work, loci.Event{Content: "test 5"})
	b.sees("6 events")
	b.evaluate(`(() => { window.part = picture(); all(); return "" })()`)
	b.until("picture() !== part")
}
