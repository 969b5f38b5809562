// Command testjson reads the output of `go test -json`, prints one line for
// each package and the whole output of what failed or was skipped, and writes
// the counts `passed failed skipped` to a file. It ends with the slowest tests,
// because waiting is not testing. Subtests count as tests. It exits with 1 if anything failed, also when a package did
// not build.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

const slowest = 10 // tests printed at the end

type counts struct{ passed, failed, skipped int }

// took is how long a top-level test ran, in seconds, without its wait for other parallel tests.
type took struct {
	name    string
	seconds float64
}

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
	var times []took
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line)
			} else {
				c.add(e, output, failedIn, w)
				if e.Elapsed >= 1 && e.Test != "" && !strings.Contains(e.Test, "/") {
					times = append(times, took{e.Package + "." + e.Test, e.Elapsed})
				}
			}
		}
		if errors.Is(err, io.EOF) {
			printSlowest(w, times)
			return c, nil
		}
		if err != nil {
			return c, err
		}
	}
}

func printSlowest(w io.Writer, times []took) {
	slices.SortStableFunc(times, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range times[:min(slowest, len(times))] {
		fmt.Fprintf(w, "slow %s %.1f s\n", t.name, t.seconds)
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
			for _, test := range slices.Sorted(maps.Keys(output)) { // one of them has the reason
				if strings.HasPrefix(test, e.Package+" ") {
					text += output[test].String()
				}
			}
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
