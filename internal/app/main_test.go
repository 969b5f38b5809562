package app_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs fewer of the random checks under the race detector, which makes each take five times as long and looks
// for something else. `make nightly` runs more of them without it.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if raceDetector && !given {
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err) // rapid has no such flag
		}
	}
	os.Exit(m.Run())
}
