package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// attach adds a file to a memory of Mara's.
func (w *world) attach(id loci.MemoryID, name, mediaType string, body []byte) {
	w.t.Helper()
	up := memory.Upload{Name: name, MediaType: mediaType, Size: int64(len(body)), Body: bytes.NewReader(body)}
	if _, _, err := w.app.Memory.AddAsset(w.t.Context(), w.local(w.mara), id, up); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// picture returns a PNG whose left half is red and whose right half is blue.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{R: 255, A: 255})
			if x >= width/2 {
				img.Set(x, y, color.RGBA{B: 255, A: 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// peek shows the preview of an attachment.
func (b *tab) peek(name string) {
	b.t.Helper()
	b.until(`document.querySelector('[aria-label="Preview of ` + name + `"]')`)
	b.do("preview "+name, clickOn(`[aria-label="Preview of `+name+`"]`))
}

// TestBrowserDashboardPreviews looks into attachments. Nothing in them becomes a part of the page.
func TestBrowserDashboardPreviews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save(memory.Draft{Title: "With files", Content: "Look into them."})
	shot := picture(t, 1280, 400)
	w.attach(id, "a.png", "image/png", shot)
	w.attach(id, "b.txt", "text/plain", []byte(strings.Join(attacks, "\n")+strings.Repeat("\nmore", 1000)+"\nthe end"))
	w.attach(id, "later.txt", "text/plain", []byte("read later"))
	w.attach(id, "c.svg", "image/svg+xml",
		[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>hacked=1</script></svg>`))
	w.attach(id, "d.html", "text/html", []byte(`<!DOCTYPE html><body onload="hacked=1"><script>hacked=1</script>`))
	w.attach(id, "e.png", "image/png", shot[:60])
	w.attach(id, "f.pdf", "application/pdf", []byte("%PDF-1.7\n"))
	w.attach(id, "g.png", "image/png", append(slices.Clone(shot), make([]byte, 10_000_001)...))
	b := w.dashboard("/app/memories/" + id.String())

	b.peek("a.png")
	b.until(`document.querySelector("canvas.preview")?.width === 640`)
	b.until(`document.querySelector("canvas.preview").height === 200`)
	b.until(`(() => { const draws = document.querySelector("canvas.preview").getContext("2d");
		return draws.getImageData(10, 10, 1, 1).data[0] > 200 && draws.getImageData(630, 190, 1, 1).data[2] > 200 })()`)
	b.until(`document.querySelector("canvas.preview").getAttribute("aria-label").startsWith("Picture a.png, ")`)
	b.look("preview-picture")
	b.axe("a preview of a picture")

	b.peek("b.txt")
	b.sees(attacks[0], attacks[12], "[U+202E]gro.live", "the first 4,000 characters")
	b.seesNo("the end")
	b.until(`!document.querySelector("canvas.preview")`)
	b.look("preview-text")
	b.axe("a preview of a text")
	b.safe("a preview of a text")
	b.peek("c.svg")
	b.until(`document.querySelector("pre.preview")?.innerText.includes("<script>hacked=1</script></svg>")`)
	b.safe("a preview of a drawing")
	b.peek("d.html")
	b.until(`document.querySelector("pre.preview")?.innerText.includes("<body onload=")`)
	b.safe("a preview of a page")
	b.peek("e.png")
	b.sees("The picture cannot be shown")
	b.look("preview-broken")
	b.axe("a preview of a damaged picture")
	b.peek("f.pdf")
	b.sees("Files of this type have no preview")
	b.peek("g.png")
	b.sees("A preview reads at most 10 MB")

	// By keyboard: each in turn, then none.
	b.keys("v")
	b.until(`!document.querySelector(".reading [aria-expanded=true]")`)
	b.keys("v")
	b.until(`document.querySelector("canvas.preview") && document.activeElement.ariaLabel === "Hide the preview of a.png"`)
	b.keys("v")
	b.until(`document.querySelector("pre.preview") && document.activeElement.ariaLabel === "Hide the preview of b.txt"`)
	b.clean()

	// The server does not answer.
	w.down.Store(true)
	b.keys("v")
	b.sees("The server does not answer")
	w.down.Store(false)
	b.click("Try again")
	b.until(`document.querySelector("pre.preview")?.innerText.includes("read later")`)
}

// TestBrowserDashboardFollowsEvidence adds sources and attachments while their memory is open.
func TestBrowserDashboardFollowsEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save(memory.Draft{Title: "Deploy day", Content: "Tuesday"})
	b := w.dashboard("/app/memories/" + id.String())
	b.until(`document.querySelector(".live.live")`)
	for _, part := range []string{"sources", "assets"} { // which are there by now, and empty
		b.until(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("` + part + `"))`)
	}
	w.attach(id, "plan.txt", "text/plain", []byte("the plan"))
	source := loci.Source{Kind: loci.SourceText, Text: "We deploy on Tuesday.", Quote: "on Tuesday"}
	_, _, err := w.app.Memory.AddSources(t.Context(), w.local(w.mara), id, []loci.Source{source})
	w.must(err)
	b.sees("plan.txt", "Sources")
	b.until(`document.querySelector(".quote mark")?.innerText === "on Tuesday"`)
	b.clean()
}

// TestBrowserDashboardReaders chooses readers that Loci does not know by name.
func TestBrowserDashboardReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.key(auth.KeyRequest{Name: "flows", Vendor: "n8n"})
	b := w.dashboard("/app/memories")
	b.keys("n")
	b.until(`document.activeElement?.closest(".editor")`)
	b.keys("Plans")
	b.write(".editor textarea", "of the team")
	chips := `[...document.querySelectorAll(".editor .chips button")]`
	if got := b.evaluate(`String(` + chips + `.length)`); got != "0" {
		t.Errorf("the form offers %s assistants before anybody asked", got)
	}
	b.evaluate(`(() => { document.querySelectorAll(".editor [type=radio]")[1].click(); return "" })()`)
	b.until(chips + `.some((e) => e.innerText === "n8n")`)
	b.until(chips + `.some((e) => e.innerText === "zed") && ` + chips + `.some((e) => e.innerText === "opencode")`)
	b.write(".another input", "not a name")
	b.sees("A name has up to 50 letters")
	b.look("readers")
	b.axe("a wrong name of an assistant")
	b.write(".another input", "My-Own.bot")
	b.keys(kb.Enter) // which does not save
	b.until(chips + `.some((e) => e.innerText === "my-own.bot" && e.ariaPressed === "true")`)
	b.click("n8n")
	b.click("claude")
	b.write(".another input", "late") // and nobody presses Add
	b.click("Save")
	b.sees("only my-own.bot, n8n, late")
	b.clean()

	// The same field in a selection, a node and an entity.
	b.keys("s")
	b.click("Assistants")
	b.until(`document.querySelector("dialog[open] [type=radio]")`)
	b.evaluate(`(() => { document.querySelectorAll("dialog [type=radio]")[1].click(); return "" })()`)
	b.write("dialog .another input", "zed2")
	b.click("Change 1")
	b.sees("only claude, zed2")
	b.clean()
}
