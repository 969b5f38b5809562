//go:build race

package random

const raceDetector = true
