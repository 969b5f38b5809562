package sqlitedb

// jobs are what the test binary does when a test runs it as another process.
var jobs = map[string]func(path string) error{}
