package main

import (
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/loci-memory/loci"
)

// defaultDataDir returns the platform's place for a user's data, never the working directory. env looks up a variable.
// home is the person's home directory.
func defaultDataDir(goos string, env func(string) string, home string) (string, error) {
	switch goos {
	case "windows":
		if dir := env("LocalAppData"); dir != "" {
			return dir + `\loci`, nil
		}
		return underHome(goos, home, `AppData\Local\loci`)
	case "darwin", "ios":
		return underHome(goos, home, "Library/Application Support/loci")
	}
	// The XDG rules: a relative value is to be ignored.
	if dir := env("XDG_DATA_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "loci"), nil
	}
	return underHome(goos, home, ".local/share/loci")
}

// defaultConfigFile returns the platform's place for the configuration file.
func defaultConfigFile(goos string, env func(string) string, home string) (string, error) {
	switch goos {
	case "windows":
		if dir := env("AppData"); dir != "" {
			return dir + `\loci\config.toml`, nil
		}
		return underHome(goos, home, `AppData\Roaming\loci\config.toml`)
	case "darwin", "ios":
		return underHome(goos, home, "Library/Application Support/loci/config.toml")
	}
	if dir := env("XDG_CONFIG_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "loci", "config.toml"), nil
	}
	return underHome(goos, home, ".config/loci/config.toml")
}

func underHome(goos, home, rest string) (string, error) {
	if home == "" {
		return "", loci.Errorf(loci.Invalid,
			"cannot choose a data directory: the home directory is unknown; pass --data-dir or set LOCI_DATA_DIR")
	}
	separator := "/"
	if goos == "windows" {
		separator = `\`
	}
	return strings.TrimRight(home, separator) + separator + rest, nil
}

func (s *settings) findDataDir(lookup func(string) string) (err error) {
	if s.DataDir == "" {
		s.DataDir, err = defaultDataDir(runtime.GOOS, lookup, s.Home)
		return err
	}
	if found := placeholder.FindString(s.DataDir); found != "" {
		return loci.FieldErrorf(nameOf("data_dir", s.Flags),
			"must be a path, but %q has %s, which nothing has replaced; write the path itself", cut(s.DataDir, 100), found)
	}
	if isUnderHome(s.DataDir) {
		if s.Home == "" {
			return loci.FieldErrorf("data_dir", "begins with ~, but the home directory is unknown")
		}
		s.DataDir = filepath.Join(s.Home, s.DataDir[1:])
	}
	s.DirRelative = !filepath.IsAbs(s.DataDir) && !strings.HasPrefix(filepath.ToSlash(s.DataDir), "./")
	s.DataDir, err = filepath.Abs(s.DataDir)
	return err
}

// placeholder finds what a shell or a client should have replaced in a path.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}|\$\w*|%[^%]+%|\{\{`)

// isUnderHome reports whether a directory begins with ~, which only a shell expands.
func isUnderHome(dir string) bool {
	return dir == "~" || strings.HasPrefix(dir, "~/") || strings.HasPrefix(dir, "~"+string(filepath.Separator))
}
