//go:build !(linux || darwin) || sqlite3_flock || sqlite3_dotlk

package sqlitedb

// mapShared returns nil: here the driver shares memory in another way.
func mapShared(string, int) []byte { return nil }

func unmapShared([]byte) {}
