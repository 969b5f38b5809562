package clientfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/clientfile"
)

const ours = `"/usr/local/bin/loci" hook claude-code`

// TestHooksComeAndGo demands that the hooks of Loci leave the very bytes of every other setting.
func TestHooksComeAndGo(t *testing.T) {
	for name, before := range map[string]string{
		"none":     "",
		"no hooks": "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
		"on one":   `{"model":"opus"}`,
		"others": "{\n    \"hooks\": {\n        \"Stop\": [\n            {\n" +
			"                \"hooks\": []\n            }\n        ]\n    },\n    \"n\": 12345678901234567890\n}\n",
		"one line": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}`,
		"same event": "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [{\"matcher\": \"Bash\"}]," +
			"\n\t\t\"SessionStart\": [\n\t\t\t{\"a\": 1},\n\t\t\t{\"b\": 2}\n\t\t]\n\t}\n}\n",
		"windows": "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	} {
		file := settings(t, before)
		with, err := file.WithHooks(ours)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		installed := settings(t, string(with))
		if got := len(installed.Hooked()); got != len(clientfile.HookEvents) {
			t.Errorf("%s: %d hooks, want %d:\n%s", name, got, len(clientfile.HookEvents), with)
		}
		if again, err := installed.WithHooks(ours); err != nil || len(settings(t, string(again)).Hooked()) !=
			len(clientfile.HookEvents) {
			t.Errorf("%s: again: %v\n%s", name, err, again)
		}
		after, err := installed.WithoutHooks()
		if err != nil || strings.TrimSpace(string(after)) != strings.TrimSpace(before) {
			if before != "" || strings.TrimSpace(string(after)) != "{}" {
				t.Errorf("%s: got %v\n%q\nwant\n%q", name, err, after, before)
			}
		}
	}
}

// TestHooksOfOthersStay also if they look similar, and a list that is none is an error.
func TestHooksOfOthersStay(t *testing.T) {
	for _, text := range []string{
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other hook claude-code"}]}]}}`,
		`{"hooks": {"Stop": [{"hooks": [{"command": "loci hook claude-code"}, {"command": "say done"}]}]}}`,
	} {
		file := settings(t, text)
		if got := file.Hooked(); got != nil {
			t.Errorf("%s: got %q", text, got)
		}
		if after, err := file.WithoutHooks(); err != nil || string(after) != text {
			t.Errorf("%s: got %v %s", text, err, after)
		}
	}
	if _, err := settings(t, `{"hooks": {"Stop": {"a": 1}}}`).WithHooks(ours); err == nil ||
		!strings.Contains(err.Error(), `"Stop" that is not a list`) {
		t.Errorf("got %v", err)
	}
}

func settings(t *testing.T, text string) *clientfile.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := clientfile.ReadSettings(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
