package main

import "runtime"

// garbageRoom is reserved, and never touched, so it takes no memory of the machine.
const garbageRoom = 16 << 20

// roomForGarbage lets a server gather about as much again before the collector runs, until keep is called. What it
// holds for good is so little that the collector would run after every few calls, and take a fifth of the time. Unlike
// a higher GOGC it costs the same however much is held.
func roomForGarbage() (keep func()) {
	room := make([]byte, garbageRoom)
	return func() { runtime.KeepAlive(room) }
}
