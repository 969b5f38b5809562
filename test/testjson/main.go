// Command testjson reads the output of `go test -json`, prints one line for
// each package and the whole output of what failed or was skipped, and writes
// the counts `passed failed skipped` to a file. Subtests count as tests. It
// exits with 1 if anything failed, also when a package did not build.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

type counts struct{ passed, failed, skipped int }

func main() {
	file := flag.String("counts", "", "write `passed failed skipped` to this file")
	flag.Parse()
	c, err := read(os.Stdin, os.Stdout)
	if err == nil && *file != "" {
		err = os.WriteFile(*file, fmt.Appendf(nil, "%d %d %d\n", c.passed, c.failed, c.skipped), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testjson:", err)
		os.Exit(1)
	}
	if c.failed > 0 {
		os.Exit(1)
	}
}

// read counts the events of r and reports them on w.
func read(r io.Reader, w io.Writer) (counts, error) {
	var c counts
	output := map[string]*strings.Builder{} // per test; released when it passed
	failedIn := map[string]bool{}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line)
			} else {
				c.add(e, output, failedIn, w)
			}
		}
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return c, err
		}
	}
}

func (c *counts) add(e event, output map[string]*strings.Builder, failedIn map[string]bool, w io.Writer) {
	key := e.Package + e.ImportPath + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if output[key] == nil {
			output[key] = new(strings.Builder)
		}
		output[key].WriteString(e.Output)
		return
	case "pass", "fail", "skip", "build-fail":
	default:
		return
	}
	text := ""
	if b := output[key]; b != nil {
		text = b.String()
		delete(output, key)
	}
	switch {
	case e.Action == "build-fail":
		fmt.Fprint(w, text)
	case e.Test == "" && e.Action == "fail":
		if !failedIn[e.Package] { // it did not build, or ended without a verdict
			c.failed++
		}
		fmt.Fprintf(w, "FAIL %s %.1f s\n%s", e.Package, e.Elapsed, text)
	case e.Test == "" && e.Action == "pass":
		fmt.Fprintf(w, "ok   %s %.1f s\n", e.Package, e.Elapsed)
	case e.Test == "": // a package without tests
	case e.Action == "fail":
		c.failed++
		failedIn[e.Package] = true
		fmt.Fprint(w, text)
	case e.Action == "skip":
		c.skipped++
		fmt.Fprint(w, text)
	default:
		c.passed++
	}
}
