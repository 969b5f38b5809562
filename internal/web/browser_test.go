package web_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	control "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a real browser.
type tab struct {
	t       *testing.T
	ctx     context.Context
	shots   string // where screenshots go; "": none are taken
	mu      sync.Mutex
	refused []string // what the browser refused on grounds of security
}

// newTab starts a browser with an empty profile. Without one the test is
// skipped, but not in CI. The test fails at its end if the browser refused
// anything that a page wanted, and refuses did not expect it.
func newTab(t *testing.T) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell") // which takes half the processor time of the whole browser
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		if os.Getenv("LOCI_CI") != "" {
			t.Fatalf("CI needs chromium: %v", err)
		}
		t.Skip("there is no chromium on PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic",
			true),
		chromedp.Flag("ignore-certificate-errors", true)) // of the sites in tests
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	// The browser outlives the context of the test, which ends before its cleanups.
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	// As a browser on a screen does for a page that a person clicked on.
	copies := control.SetPermissionParams{Permission: &control.PermissionDescriptor{Name: "clipboard-write"},
		Setting: control.PermissionSettingGranted}
	if _, err := chromedp.Call(ctx, control.SetPermission, copies); err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, shots: os.Getenv("LOCI_SCREENSHOTS")}
	entries := chromedp.Events(ctx, log.EntryAdded)
	go func() {
		for e, err := range entries {
			if err != nil {
				return
			}
			if text := e.Entry.Text; e.Entry.Source == log.EntrySourceSecurity || strings.Contains(text,
				"Content Security Policy") {
				b.mu.Lock()
				b.refused = append(b.refused, text)
				b.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() { // while the browser still runs
		if !t.Failed() {
			b.evaluate(`""`) // what the browser refused before is told before its answer
			b.clean()
		}
	})
	return b
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v; at %s:\n%s", what, err, b.where(), b.text())
	}
}

// open goes to an address.
func (b *tab) open(address string) {
	b.t.Helper()
	b.do("open "+address, chromedp.Navigate(address))
}

// press clicks on something and waits for the page that follows.
func (b *tab) press(selector string) {
	b.t.Helper()
	short, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if _, err := chromedp.RunResponse(short, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.t.Fatalf("press %s: %v; at %s:\n%s\nrefused: %v", selector, err, b.where(), b.text(), b.violations())
	}
}

// button is the selector of the button of the form that goes to a path.
func button(action string) string { return `form[action="` + action + `"]:not([hidden]) button` }

// fill types with the keyboard, because chromedp.SendKeys reads the attributes of the field while they may
// change.
func (b *tab) fill(selector, value string) {
	b.t.Helper()
	field := chromedp.CSS(selector)
	b.do("fill "+selector, chromedp.Clear(field), chromedp.Focus(field), chromedp.KeyEvent(value))
}

func (b *tab) text() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`))
	if err != nil {
		return err.Error()
	}
	return text
}

func (b *tab) where() string {
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return at
}

// wants fails unless the page has all the texts.
func (b *tab) wants(texts ...string) {
	b.t.Helper()
	got := strings.Join(strings.Fields(b.text()), " ")
	for _, text := range texts {
		if !strings.Contains(got, text) {
			b.t.Fatalf("%q is not on the page at %s:\n%s", text, b.where(), got)
		}
	}
}

// waitFor waits until the page has a text, over any number of hops.
func (b *tab) waitFor(text string) {
	b.t.Helper()
	short, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	for {
		loaded := chromedp.Events(short, page.LoadEventFired)
		if strings.Contains(b.text(), text) {
			return
		}
		for _, err := range loaded {
			if err != nil {
				b.t.Fatalf("%q did not come; at %s:\n%s\nrefused: %v", text, b.where(), b.text(), b.violations())
			}
			break
		}
	}
}

func (b *tab) violations() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.refused...)
}

// refuses waits until the browser has refused something, told with a text, and expects that it did.
func (b *tab) refuses(text string) {
	b.t.Helper()
	for {
		b.mu.Lock()
		before := len(b.refused)
		b.refused = slices.DeleteFunc(b.refused, func(r string) bool { return strings.Contains(r, text) })
		found := len(b.refused) < before
		b.mu.Unlock()
		if found {
			return
		}
		b.evaluate(`""`) // until the context ends
	}
}

// clean fails if the browser refused anything that a page wanted.
func (b *tab) clean() {
	b.t.Helper()
	for _, text := range b.violations() {
		b.t.Errorf("the browser refused: %s", text)
	}
}

// shot takes a screenshot of the page for somebody to look at, and checks that
// it fits into a narrow window.
func (b *tab) shot(name string) {
	b.t.Helper()
	b.do("narrow window", chromedp.EmulateViewport(360, 740))
	over, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
	if err != nil || over > 0 {
		b.t.Errorf("%s is %d pixels wider than a window of 360 (%v)", name, over, err)
	}
	if b.shots != "" {
		b.save(name + "-narrow")
		b.do("dark", chromedp.EmulateViewport(900, 700))
		_, _ = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		b.save(name + "-dark")
		_, _ = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		b.save(name)
	}
	b.do("usual window", chromedp.EmulateReset())
}

func (b *tab) save(name string) {
	image, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatalf("screenshot %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(b.shots, name+".png"), image, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// signIn signs Mara in with her password, from wherever sign-in was asked for.
func (b *tab) signIn() {
	b.t.Helper()
	b.fill("#email", maraMail)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
}
