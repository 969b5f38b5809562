//go:build !race

package random

const raceDetector = false
