package main

import "testing"

func TestDefaultPlaces(t *testing.T) {
	tests := []struct {
		name, goos   string
		env          map[string]string
		home         string
		data, config string // "": an error
	}{
		{"linux", "linux", nil, "/home/ada", "/home/ada/.local/share/loci", "/home/ada/.config/loci/config.toml"},
		{"linux with XDG", "linux", map[string]string{"XDG_DATA_HOME": "/d/", "XDG_CONFIG_HOME": "/c"}, "/home/ada",
			"/d/loci", "/c/loci/config.toml"},
		{"a relative XDG is ignored", "freebsd", map[string]string{"XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "c"},
			"/home/ada", "/home/ada/.local/share/loci", "/home/ada/.config/loci/config.toml"},
		{"linux without a home", "linux", nil, "", "", ""},
		{"mac", "darwin", map[string]string{"XDG_DATA_HOME": "/d"}, "/Users/ada",
			"/Users/ada/Library/Application Support/loci", "/Users/ada/Library/Application Support/loci/config.toml"},
		{"windows", "windows", map[string]string{"LocalAppData": `C:\Users\ada\AppData\Local`,
			"AppData": `C:\Users\ada\AppData\Roaming`}, `C:\Users\ada`,
			`C:\Users\ada\AppData\Local\loci`, `C:\Users\ada\AppData\Roaming\loci\config.toml`},
		{"windows without variables", "windows", nil, `C:\Users\ada\`, `C:\Users\ada\AppData\Local\loci`,
			`C:\Users\ada\AppData\Roaming\loci\config.toml`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := func(name string) string { return tt.env[name] }
			for _, place := range []struct {
				what, want string
				find       func(string, func(string) string, string) (string, error)
			}{{"data", tt.data, defaultDataDir}, {"config", tt.config, defaultConfigFile}} {
				got, err := place.find(tt.goos, env, tt.home)
				if got != place.want || (err != nil) != (place.want == "") {
					t.Errorf("%s: got %q, %v; want %q", place.what, got, err, place.want)
				}
			}
		})
	}
}
