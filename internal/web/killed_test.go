//go:build firstview

package web_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// binary runs the built binary, which LOCI_BIN names, on the data directory of a test.
func binary(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(context.WithoutCancel(t.Context()), os.Getenv("LOCI_BIN"),
		append(args, "--data-dir", dir)...)
}

// serves starts a server, and waits until it answers.
func serves(t *testing.T, dir, address string) *exec.Cmd {
	t.Helper()
	c := binary(t, dir, "serve", "--listen", address)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	for t.Context().Err() == nil {
		if a, err := http.Get("http://" + address + "/health"); err == nil {
			a.Body.Close()
			return c
		}
	}
	t.Fatal("the server does not start")
	return nil
}

// TestKilledServer kills a server while a page is open. Once a server is back at the same address and with the same
// data, the page shows what is stored then, without a reload.
func TestKilledServer(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), free.Addr().String()
	free.Close()
	server := serves(t, dir, address)
	link, err := binary(t, dir, "open", "--print").Output()
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.watchErrors()
	b.do("wide window", chromedp.EmulateViewport(1280, 800))
	b.open(strings.TrimSpace(string(link)))
	b.press(button("/app/link"))
	b.open("http://" + address + "/app/memories")
	b.until(`document.querySelector(".live.live")`)
	b.evaluate(`(() => { window.kept = true; return "" })()`)
	add := func(text string) {
		t.Helper()
		if out, err := binary(t, dir, "add", text).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b.sees(text)
	}
	add("written before")
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	b.sees("The server does not answer.", "written before")
	serves(t, dir, address)
	b.seesNo("The server does not answer.")
	b.until(`document.querySelector(".live.live")`)
	add("written after")
	b.sees("written before")
	b.until("window.kept")
}
