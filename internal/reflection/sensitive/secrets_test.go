package sensitive

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

const (
	letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
	numbers = "23456789"
)

func chars(r *rand.Rand, of string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = of[r.IntN(len(of))]
	}
	return string(b)
}

// forms are the forms of secrets, with the number of random characters that each has.
var forms = []string{"AK" + "IA%C16", "AS" + "IA%C16", "sk-%a48", "sk-proj-%a60", "sk-ant-api03-%a80",
	"sk_li" + "ve_%a24",
	"rk_li" + "ve_%a24", "wh" + "sec_%a32", "gh" + "p_%a36", "gh" + "o_%a36", "gh" + "s_%a36", "github" + "_pat_%a60",
	"gl" + "pat-%a20", "xo" + "xb-%d12-%a24", "xo" + "xp-%d12-%a24", "AI" + "za%a35", "ya29.%a60", "h" + "f_%l34",
	"h" + "f_%a34", "m" + "tk_%a40", "m" + "tk_%l40", "npm_%a36", "pypi-%a60", "S" + "G.%a22.%a43", "key-%h32",
	"do" + "p_v1_%h64", "shp" + "at_%h32", "hvs.%a90", "glsa_%a32", "nvapi-%a60", "gsk_%a52", "tvly-%a32",
	"lin_api_%a40",
	"loci_agent_%a43", "eyJ%a30.eyJ%a60.%a43", "Authorization: Bearer %a40", "password: %a12", "password is %a10",
	"Passwort: %a14!", "DB_PASSWORD=%a16", "export API_KEY=%a32", "api key: %h40",
	"postgres://app:%a16@db.internal:5432/x",
	"mongodb+srv://u:%a16@c.example.net/x", "https://hooks.sl" + "ack.com/services/T%C8/B%C8/%a24",
	"-----BEGIN RSA PRI" + "VATE KEY-----\n%a64\n-----END RSA PRI" + "VATE KEY-----", "token=%a40",
	"client secret: %a32",
	"secret key %a40", "the door code is %d4", "PIN: %d4", "card 4111 1111 1111 1111", "card 5555555555554444",
	"curl -u admin:%a12 https://x.example", "mot de passe : %a12", "contraseña: %a12", "密码是%a12",
	"the API key sk-li" + "ve-abcdefghijklmnopqrstuvwx1234567890"}

func generate(r *rand.Rand, form string) string {
	for {
		i := strings.IndexByte(form, '%')
		if i < 0 {
			return form
		}
		n, end := 0, i+2
		for ; end < len(form) && form[end] >= '0' && form[end] <= '9'; end++ {
			n = n*10 + int(form[end]-'0')
		}
		of := map[byte]string{'a': letters + numbers, 'l': letters, 'd': numbers, 'h': "0123456789abcdef",
			'C': "ABCDEFGHJKLMNPQRSTUVWXYZ" + numbers}[form[i+1]]
		form = form[:i] + chars(r, of, n) + form[end:]
	}
}

// TestFormsOfSecrets puts each form into a sentence, several times with other characters.
func TestFormsOfSecrets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, form := range forms {
		for range 20 {
			text := "For the staging host: " + generate(r, form) + "\nAsk Ada if it fails."
			if masked := Mask(text, false); len(Named(text)) == 0 || !strings.Contains(masked, "[secret]") {
				t.Errorf("%q: found nothing", text)
				break
			}
		}
	}
}

// ordinary are notes without secrets, in which generate puts numbers, ids and hashes.
var ordinary = []string{
	"Commit %h40 fixed the flaky test", "See build %h12 on main", "The image is sha256:%h64",
	"Order %d8 ships on Tuesday",
	"Invoice 2026-%d5 is paid", "Ticket SHOP-%d4 is about the checkout", "Request %h8-%h4-4%h3-a%h3-%h12 timed out",
	"user id %h8-%h4-4%h3-b%h3-%h12 was merged", "Call Ada at +49 170 %d7", "The office is at +1 415 555 %d4",
	"Tracking number 1Z%C16", "IBAN DE89 3704 0044 0532 0130 00 is for the rent", "Flight LH%d3 leaves at 07:45",
	"func Sum(a, b int) int { return a + b } // %d3", "SELECT id FROM orders WHERE total > %d4",
	"npm install left-pad@1.%d2.0",
	"https://example.org/articles/%h8?page=%d1", "https://github.com/acme/shop/pull/%d4",
	"git checkout -b fix/issue-%d4",
	"Use 200 g flour, %d2 g butter and bake at 180 degrees", "The flat costs 1.%d3 euros a month",
	"Meeting room B-%d3 at 14:30",
	"MAC 00:1b:44:11:3a:%h2 is the printer", "The server has 10.0.%d2.%d2", "Port 54%d2 is for PostgreSQL",
	"p95 fell from %d3 ms to %d2 ms", "Version v1.%d2.%d1-rc.1 is out", "ETag W/%h16 was wrong",
	"The ISBN is 978-3-16-148410-0",
	"Row 00%d3 of the file is damaged", "go test ./internal/x -run TestX%d2", "trace id %h32 has the error",
	"The token budget of an answer is %d4", "The password policy asks for 12 characters",
	"We rotate the API key every 90 days",
	"Nobody may put a password into the wiki", "The primary key is (org_id, seq), not id%d2",
	"The key of the memory is house.kitchen",
	"Reset the password on the account page", "PIN entry was moved to page %d1", "The error code is %d4",
	"HTTP status code 404",
	"Promo code SPRING%d2 gives 10 percent", "Zip code %d5 is Berlin", "Door 3 of building %d2 is closed",
	"The gate opens at 0730",
	"The keyboard layout is us-intl", "const maxTokens = %d4", "API_URL=https://api.example.org/v%d1",
	"DEBUG=true PORT=80%d2",
	"Ada drinks tea, never coffee", "We chose NATS over Kafka, because it needs less memory", "Vegetarian since 2019",
	"The house was built in 19%d2", "Chapter %d2: the secret garden",
	"The secret of good bread is time, about %d2 hours",
	"Login is slow since release %d2", "Use the login page in German", "SSH into build-%d2 and restart nginx",
	"class TokenBucket has %d2 tests", "import { useState } from 'react' // line %d2", "width: %d3px; color: #%h6",
	"Base64 of the logo has %d5 bytes", "The WLAN is weak in room %d3", "der Tresor ist seit %d4 im Keller",
	"Kennzeichen B-AB %d4",
	"Am 24.11. um 18:00 bei Mara, Hausnummer %d2", "Réunion le 24 novembre, salle %d3", "La reunión es a las 16:%d2",
	"会议在周二下午%d1点", "The score was %d2:%d2", "uuid: %h8-%h4-4%h3-9%h3-%h12", "The hash of the file is %h32",
	"docker run -p 80%d2:80 nginx:1.%d2", "kubectl get pods -n shop-%d2", "pod web-%h8-x%h4 restarts",
	"s3://bucket/2026/11/%h8.parquet",
	"Exception at Foo.java:%d3 in Bar.run", "DHL polls every %d2 minutes", "The 2FA page needs a new layout",
	"OAuth access tokens live for %d2 minutes", "Refresh tokens rotate, see RFC 6749 section %d1",
	"max-age=%d5, immutable",
	"Mail ada%d2@example.org about it", "Her passport expires in 20%d2",
	"model text-embedding-3-small, %d4 dimensions",
	"id: 01J%C23 in the log", "The session cookie is HttpOnly and SameSite=Lax",
	"Use a passphrase instead of a password",
	"pass the id %d6 to the function", "Pass %d2 of the compiler inlines calls", "row key user:%d5:cart", "EAN 40%d11",
	"lat 52.%d5, lon 13.%d5", "Timestamp 17%d8 is in seconds", "Kontonummer steht auf Seite %d2", "Postleitzahl %d5",
}

// TestOrdinaryNotes allows one false alarm in 200 notes.
func TestOrdinaryNotes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	notes, alarms := 0, 0
	for round := range 6 {
		for _, note := range ordinary {
			text := generate(r, note)
			if round > 2 {
				text = fmt.Sprintf("%s.\n%s.", text, generate(r, ordinary[r.IntN(len(ordinary))]))
			}
			notes++
			if types := Named(text); len(types) > 0 {
				alarms++
				t.Logf("%v in %q: %q", types, text, Mask(text, false))
			}
		}
	}
	if alarms*200 > notes {
		t.Errorf("%d false alarms in %d ordinary notes, want at most one in 200", alarms, notes)
	}
}

func TestReplacer(t *testing.T) {
	t.Parallel()
	known := Values("Ada's password: Kx92mmQQ! It was secret12 before; the old password: secret12")
	replace := Replacer(known, Removed)
	for text, want := range map[string]string{
		"KX92mmqq! opens it":                  "[secret removed] opens it",
		"x-secret12-y":                        "x-[secret removed]-y",
		"Another password: Lw37ppZZ!":         "Another password: Lw37ppZZ!",
		"password: [secret removed], still":   "password: [secret removed], still",
		"Nothing is here, not even a secret.": "Nothing is here, not even a secret.",
	} {
		got := replace(text)
		if again := replace(got); got != want || again != got {
			t.Errorf("%q: got %q and then %q, want %q", text, got, again, want)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	text := "Ada's password: Kx92mmQQ! and the card 4111 1111 1111 1111."
	got := Mask(text, false)
	if want := "Ada's password: [secret] and the card [secret]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, again := range []string{got, "password: [secret]"} {
		if found := Secrets(again); len(found) > 0 {
			t.Errorf("%q: %v", again, found)
		}
	}
}

func BenchmarkSecrets(b *testing.B) {
	text := "The nightly job copies the database of the shop to the second region, and Ada checks it on 2026-03-05. " +
		"We decided to keep PostgreSQL 16; see https://example.org/a/b for more."
	b.Run("new", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			Secrets(text + strconv.Itoa(n))
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			Secrets(text)
		}
	})
}
