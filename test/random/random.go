// Package random says how many random checks the tests of a package make.
package random

import "flag"

// Rounds returns how often a test repeats something: all times, or fewer under the race detector, for the reason that
// FewerUnderRace states.
func Rounds(all, underRace int) int {
	if raceDetector {
		return min(all, underRace)
	}
	return all
}

// FewerUnderRace lets rapid make 30 checks instead of 100 under the race detector, unless the command line says how
// many. The detector makes each take five times as long, and looks for something else than they do. `make nightly`
// makes all of them, and more, without it. TestMain calls it before m.Run.
func FewerUnderRace() {
	if !flag.Parsed() {
		flag.Parse()
	}
	const checks = "rapid.checks"
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == checks })
	if !raceDetector || given {
		return
	}
	if err := flag.Set(checks, "30"); err != nil {
		panic(err) // the package does not use rapid
	}
}
