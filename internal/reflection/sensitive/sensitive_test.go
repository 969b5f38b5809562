package sensitive

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Cases have what must be found as {{type|text}}. A "~" is left out of a text before it is searched: it keeps
// programs that look for secrets in repositories from finding these, which nobody ever used.
var marked = regexp.MustCompile(`(?s)\{\{(\w+)\|(.*?)\}\}`)

// parse returns the text of a case and what must be found in it.
func parse(t *testing.T, marked string) (text string, want []Match) {
	t.Helper()
	marked = strings.ReplaceAll(marked, "~", "")
	var b strings.Builder
	last := 0
	for _, m := range markedSpans(marked) {
		b.WriteString(marked[last:m[0]])
		start := b.Len()
		b.WriteString(marked[m[4]:m[5]])
		want = append(want, Match{Type(marked[m[2]:m[3]]), start, b.Len()})
		last = m[1]
	}
	b.WriteString(marked[last:])
	for _, m := range want {
		if !slices.Contains(Types(), m.Type) {
			t.Fatalf("%q: no type %q", marked, m.Type)
		}
	}
	return b.String(), want
}

func markedSpans(text string) [][]int { return marked.FindAllStringSubmatchIndex(text, -1) }

func check(t *testing.T, cases []string) {
	t.Helper()
	for _, c := range cases {
		text, want := parse(t, c)
		got := Find(text)
		secrets := slices.DeleteFunc(slices.Clone(want), func(m Match) bool { return !m.Type.Redacted() })
		if fast := Secrets(text); !slices.Equal(fast, secrets) {
			t.Errorf("%q: a save finds %v, want %v", text, fast, secrets)
		}
		if slices.Equal(got, want) {
			continue
		}
		show := func(list []Match) (out []string) {
			for _, m := range list {
				out = append(out, string(m.Type)+" "+text[m.Start:m.End])
			}
			return out
		}
		t.Errorf("%q:\n got %q\nwant %q", text, show(got), show(want))
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"used {{api_key|AK~IAQ7ZZ3KX9PLM2WQ4T}} for it",
		"key {{api_key|AK~IAQ7ZZ3KX9PLM2WQ4T}} and secret {{api_key|wJ9xTq~akeM1kLQ+n8tvalid/0PqRzYb83hGfTe1tK}} there",
		"STRIPE={{api_key|sk_~live_51Hx9qLm2Zw8Rt4Yp}}", "STRIPE_KEY={{api_key|sk_~test_51Hx9qLm2Zw8Rt4Yp}}",
		"the key is {{api_key|sk-~proj-a8Kd02mXq9LwZt41Rv_B7}}.", "{{api_key|sk-~ant-api03-Zk3x9Wq7Lm2Rt5Vb8Nc1}}",
		"maps: {{api_key|AI~zaSyD3kQ9xWm7Lp2Rt5Vb8Nc1Zf4Hj6Tg0U}}", "{{token|gh~p_9Kx2mQ7wLp4Rt8Vb1Nc5Zf3Hj6Tg0Uy2}}",
		"{{token|github_~pat_11ABCDE0Q9xWm7Lp2Rt5Vb8}}", "{{token|gl~pat-x9Kq2Lm7Wp4Rt8Vb1Nc5}}",
		"bot {{token|xo~xb-2910384756-8471029384-kQ9xWm7Lp2Rt}}",
		"{{api_key|S~G.kQ9xWm7Lp2Rt5Vb8.Zf4Hj6Tg0Uy2Nc1Rt5Vb8Nc}}",
		"twilio {{api_key|S~K3f9a1c7e5b2d8064f3a9c1e7b5d28064}}", "{{token|np~m_k9Xq2Lm7Wp4Rt8Vb1Nc5Zf3Hj6Tg0Uy2}}",
		"{{token|py~pi-AgEIcHlwaS5vcmcCJDk3x9Wq7Lm2Rt5}}", "{{token|h~f_kQxWmLpRtVbNcZfHj6TgUyNc}}",
		"{{token|do~p_v1_3f9a1c7e5b2d80643f9a1c7e5b2d8064}}", "{{api_key|loci_~live_k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"{{api_key|loci_~agent_k9Xq2Lm7Wp4Rt8Vb1Nc5}} is for the robot", "API key: {{api_key|k9Xq2Lm7Wp4Rt8}}",
		"api_key={{api_key|3f9a1c7e5b2d80643f9a1c7e}}", `"apiKey": "{{api_key|k9Xq2Lm7-Wp4Rt8Vb1}}",`,
		"api-key -> {{api_key|Zq8x7w6v5u4t3s2r}}", "export MAILER_API_KEY='{{api_key|Zq8x7w6v5u4t3s2r}}'",
		"client_secret = {{api_key|aB3x9-Kq2Lm7Wp}}", "JWT_SECRET={{api_key|n7Kx9qLm2Zw8Rt4Yp}}",
		"Der API-Schlüssel lautet {{api_key|n7Kx9qLm2Zw8Rt4Yp}}.", "la clé API est {{api_key|n7Kx9qLm2Zw8Rt4Yp}}",
		"la clave de la API es {{api_key|n7Kx9qLm2Zw8Rt4Yp}}", "a chave de API é {{api_key|n7Kx9qLm2Zw8Rt4Yp}}",
		"APIキーは{{api_key|n7Kx9qLm2Zw8Rt4Yp}}です", "API密钥：{{api_key|n7Kx9qLm2Zw8Rt4Yp}}", "密钥是 {{api_key|n7Kx9qLm2Zw8Rt4Yp}}。",
		"heroku api key: {{api_key|3f9a1c7e-5b2d-4064-8f3a-9c1e7b5d2806}}",
		"x-api-key: {{api_key|Zq8x7w6v5u4t3s2r}}", "--api-key {{api_key|Zq8x7w6v5u4t3s2r1q}}",

		"X-Auth-Token: {{token|9d8f7a6b5c4e3d2f1a0b}}", "user vendor_ro / pass {{password|Blue$Sky9}}",
		"The API key rotation is due in May.", "api key: <your-key>", "API_KEY=xxxxxxxxxxxxxxxx", "API_KEY=$TOKEN",
		"api_key = os.environ['API_KEY']", "apiKey: process.env.API_KEY", "api key: see 1Password",
		"api key: YOUR_API_KEY_HERE",
		"set api_key to ${SECRET_KEY}", "The secret is that we bake at 230 degrees.", "the secret sauce2go project",
		"commit 3f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e fixed it", "id 3f9a1c7e-5b2d-4064-8f3a-9c1e7b5d2806",
		"sha256:3f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e5b2d8064", "use sk-learn-pipeline-for-training",
		"loci_live_ is the prefix of keys", "npm_config_registry is set", "the hf_transfer_enabled_by_default flag",
		"The secret santa list2024-final is ready", "license key management v2.1.0", "API keys are per project, not per user",
		"primary key: customer_id_2024_v2", "secret: kubernetes/prod/db-creds-v2",
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"{{token|ey~JhbGciOiJIUzI1NiJ9.ey~JzdWIiOiIxMjM0In0x.dBjftJeZ4CVPmB92K27uhbUJU1p1r}}",
		"Authorization: Bearer {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", `-H "Authorization: Bearer {{token|3f9a1c7e5b2d8064}}"`,
		"token = {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", "access_token={{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}&state=1",
		"refresh token: {{token|1//0gK9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"Cookie: sessionid={{token|k9xq2lm7wp4rt8vb1nc5zf3hj6}}; path=/",
		"Set-Cookie: PHPSESSID={{token|k9xq2lm7wp4rt8vb1nc5zf3hj6}}", "the session token is {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"Das Token ist {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", "le jeton est {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"トークン：{{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", "访问令牌是{{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"Authorization: Basic {{token|YWRtaW46aHVudGVyMg==}}", "deploy token {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",

		"We use a token bucket with 100 tokens per minute.", "token: 4096", "max_tokens=16384", "token_type=bearer",
		"tokens per second: 120000", "The bearer of this letter is Ada Lovelace1852", "token = getToken()",
		"token: text-embedding-3-small", "the token is stored in the keychain", "token budget is 128k",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "session cookies expire after 24 hours",
		"the tokenizer is cl100k_base", "Le jeton expire après 15 minutes", "den Token alle 90 Tage erneuern",
		"token count was 12345678901234", "JWT with RS256-signature",
	})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"password is {{password|hunter2}}", "the password for the staging box is {{password|Tulip-Harbor-9931}} btw.",
		"pw: {{password|hunter2}}", "pw {{password|hunter22}}", "Passwort: {{password|Sommer2024!}}",
		"db password = {{password|s3cr3t!}}",
		"Das Passwort lautet {{password|Sommer2024!}} und nichts anderes", "WLAN-Passwort: {{password|blaue-Katze-77}}",
		"Le mot de passe est {{password|tournesol42}}.", "mot de passe : {{password|tournesol42}}",
		"La contraseña es {{password|girasol42}}", "contraseña: {{password|girasol42}}", "A senha é {{password|girassol42}}.",
		"senha: {{password|girassol42}}", "パスワードは{{password|himawari42}}です。", "パスワード：{{password|himawari42}}",
		"密码是{{password|xiangrikui42}}",
		"WiFi密码：{{password|xiangrikui42}}。", "密码为 {{password|xiangrikui42}}",
		"mysql --password {{password|hunter2x}} -u root",
		"--password={{password|hunter2x}}", "DB_PASSWORD={{password|hunter2x}}", `password: "{{password|blue tiger runs}}"`,
		"Wifi password: {{password|correct horse battery staple}}", "The wifi password is {{password|bluebird}}.",
		"guest wifi pw is \"{{password|quiet river 77}}\"", `"password": "{{password|hunter2}}",`,
		"**Password:** {{password|hunter2}}",
		"Password for the router: {{password|Zebra!Zebra}}", "changed the admin password to {{password|N3wPass!}} yesterday",
		"Passwort (Staging): {{password|gr4u3katze}}", "{{password|hunter2}} is the password",
		"use {{password|hunter22}} as the password",
		"login: admin / {{password|hunter2}}", "creds are admin:{{password|hunter2}}",
		"user: bob, pass: {{password|hunter2}}",
		"curl -u admin:{{password|hunter2}} https://x.example", "PGPASSWORD={{password|hunter2}} psql",
		"the admin password is still {{password|changeme}}", "Passphrase: {{password|violet-stone-marble-9}}",
		"IDENTIFIED BY '{{password|hunter2}}'", "password: {{password|12345678}}",
		"Kennwort ist jetzt {{password|Kiefer-88}}.",
		"Password:\n{{password|hunter2}}\n", "root password `{{password|t0psecret}}`",
		"der Passwort-Tresor hat Passwort {{password|kater77x}}",

		"the password reset e-mail is late", "The password is required.", "password: required",
		"Passwords are hashed with bcrypt.",
		"password hash: argon2id", "password: <your-password>", "PASSWORD=$DB_PASS", "PASSWORD=changeme", "password: ${PW}",
		"The password is wrong", "the password must have 12 characters", "password policy: 12+ chars", "password = getpass()",
		"password=os.getenv('PW')", "Das Passwort ist abgelaufen.", "Passwort vergessen? Klick hier.",
		"we changed the password on 2024-05-01",
		"password expiry is 90 days", "the password manager is 1Password", "Le mot de passe est obligatoire.",
		"La contraseña es incorrecta.", "パスワードは必須です。", "パスワードは12文字以上です。", "密码不能为空", "密码至少8位",
		"The password field is a varchar(255).", "password: see the vault entry db/prod", "passwords: stored in Bitwarden",
		"password_hash = 3f9a1c7e", "The password is shared with the team", "password reset token bucket", "pass 2 of 3",
		"the login page / dashboard", "Passwort-Richtlinie: mindestens 12 Zeichen", "password-less login with passkeys",
		"Ask Sam for the password.", "password is case-sensitive", "A senha expirou.", "password: string", "password: null",
		"Password rotation moved to Q3-2025", "The password length was 8, now 12.", "the password is in the safe",
	})
}

func TestPrivateKeysAndAddresses(t *testing.T) {
	t.Parallel()
	const body = "b3BlbnNzaC1rZXktdjEAAAAAtest0000000000000000000000\nAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA"
	check(t, []string{
		"Key:\n{{private_key|-----BEGIN OPEN~SSH PRIVATE KEY-----\n" + body + "\n-----END OPEN~SSH PRIVATE KEY-----}}\nbye",
		"{{private_key|-----BEGIN RSA PRI~VATE KEY-----\n" + body + "}}\n",
		"{{private_key|-----BEGIN PGP PRI~VATE KEY BLOCK-----\n" + body +
			"\n-----END PGP PRI~VATE KEY BLOCK-----}}", "{{private_key|AGE-SE~CRET-KEY-1QZ9X8V7T6R5Q4P3N2M1L0KJHGFDSAQWERTYUP}}",
		"private key: {{private_key|0x3f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e5b2d8064}}",
		"seed phrase: {{private_key|apple river stone cloud tiger lamp wolf grape ocean chair pilot drum}}",
		"-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" + body,
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9x deploy@box", "The private key is in the HSM.",
		"Keep the private key offline.",

		"{{connection_string|postgres://app:s3cr~etpw@db.internal:5432/orders}}",
		"{{connection_string|mongodb+srv://u:p4~ss@c.mongodb.net/x}}.",
		"redis is {{connection_string|redis://:hun~ter2@cache:6379/0}}", "{{connection_string|amqp://svc:rab~bit9@mq/vhost}}",
		"{{connection_string|mysql://root:t0~or@10.0.0.5/shop}}",
		"{{connection_string|https://bob:hun~ter2@git.example.com/r.git}}",
		"{{connection_string|jdbc:postgresql://db/x?user=a&password=s3~cret}}",
		"{{connection_string|DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=k9Xq2Lm7~Wp4Rt8Vb1Nc5Zf3Hj6==;" +
			"EndpointSuffix=core.windows.net}}",
		"conn: {{connection_string|Server=tcp:db.example.net,1433;Database=orders;User Id=sa;" +
			"Password=Zebra!~9;Encrypt=True}}",
		"{{connection_string|host=db1 user=app password=s3cr~et9 dbname=x}}",
		"postgres://localhost/orders", "postgres://app@db/orders", "postgres://user:password@localhost/db",
		"postgres://u:$PW@h/db",
		"postgres://<user>:<pw>@host/db", "see https://example.com/a:b@c", "mailto:bob", "redis://cache:6379/0",

		"{{webhook|https://hooks.slack.com/serv~ices/T02AB3CD4/B05EF6GH7/k9Xq2Lm7Wp4Rt8Vb1Nc5Zf3H}}",
		"{{webhook|https://discord.com/api/web~hooks/112233445566778899/k9Xq2Lm7Wp4Rt8Vb1Nc5Zf3H}}",
		"{{webhook|https://acme.webhook.office.com/web~hookb2/3f9a1c7e-5b2d-4064-8f3a-9c1e7b5d2806@x/" +
			"IncomingWebhook/3f9a1c7e5b2d8064}}",
		"post to {{webhook|https://hooks.zapier.com/hooks/cat~ch/123456/k9x2q7}}.",
		"{{webhook|https://n8n.example.com/web~hook/3f9a1c7e-5b2d-4064-8f3a-9c1e7b5d2806}}",
		"{{webhook|https://api.telegram.org/bot~110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage}}",
		"https://hooks.slack.com/services/TXXXX/BXXXX/xxxxxxxx",
		"https://example.com/docs/webhooks/getting-started-with-webhooks",
		"the webhook of https://github.com/acme/webhooks", "https://docs.example.com/hooks/pre-commit",
	})
}

func TestCodes(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"PIN is {{access_code|4471}}", "PIN: {{access_code|0815}}.", "the code for the gate is {{access_code|4471#}}",
		"Door code {{access_code|4471}}, ring twice", "alarm code: {{access_code|2580}}",
		"the gate code changed to {{access_code|7788}}",
		"safe combination is {{access_code|12-34-56}}", "Use {{access_code|4471#}} at the front gate.",
		"garage keypad code is {{access_code|0417}}",
		"OTP: {{access_code|482913}}", "Your verification code is {{access_code|482913}}.",
		"recovery codes: {{access_code|a1b2-c3d4, e5f6-a7b8}}",
		"backup code {{access_code|9F3K-22QL}}", "Der Türcode ist {{access_code|4471}}.",
		"Code für das Tor: {{access_code|4471}}",
		"Der Code für die Haustür lautet {{access_code|4471#}}", "Le code de la porte est {{access_code|44B71}}",
		"digicode : {{access_code|44B71}}",
		"El código de la puerta es {{access_code|4471}}", "clave de la alarma: {{access_code|2580}}",
		"O código do portão é {{access_code|4471}}",
		"玄関の暗証番号は{{access_code|4471}}です", "金庫の番号は{{access_code|123456}}。", "验证码是{{access_code|482913}}",
		"大门密码是{{access_code|4471#}}",
		"门禁密码：{{access_code|4471}}", "The keypad on the shed: code {{access_code|9021}}", "SIM PUK: {{access_code|48291357}}",
		"lockbox code {{access_code|7315}} for the cleaners", "Tresor: {{access_code|12-34-56}}",

		"the alarm is {{access_code|9-1-7-3}} then hash", "the side door opens with {{access_code|5519*}}",
		"Mailbox combo {{access_code|14-32-08}}",
		"your key box: {{access_code|1357}}", "code de la boîte à clés {{access_code|7741}}",
		"Le digicode c'est {{access_code|58A31}}",

		"error code 4471", "the **4471** doors", "exit code is 137", "zip code: 94110", "The PIN was changed in 2024.",
		"pin the version to 1.2.3",
		"pin 13 on the board", "code review at 1430", "status code: 503", "the alarm goes off at 0630", "gate 12 at 14:30",
		"The door is 2100 mm high.", "promo code SAVE20", "HTTP code 404", "The code is 4000 lines long.", "OTP is 6 digits",
		"the safe limit is 5000 requests", "code 4471 fails the build", "Postleitzahl 10115", "code postal: 75011",
		"错误代码 4471",
		"The alarm fires above 5000 errors.", "building 4471", "ticket #4471 is about the gateway",
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"card {{card_number|4111 1111 1111 1111}} exp 12/27", "{{card_number|4111-1111-1111-1111}}",
		"{{card_number|4111111111111111}}",
		"Amex {{card_number|3782 822463 10005}}", "{{card_number|5555555555554444}}", "{{card_number|6011 1111 1111 1117}}",
		"Mi tarjeta es {{card_number|4111 1111 1111 1111}}, pero", "{{card_number|3530111333300000}}",
		"Karte: {{card_number|2223003122003222}}",
		"4111 1111 1111 1112", "order 4111111111111111", "tracking 4111 1111 1111 1111", "1718000000000", "1234567890123456",
		"id_4111111111111111", "9400 1000 0000 0000 0000 00", "0000000000000000", "timestamp 1718041234567890",
		"a4111111111111111",

		"{{iban|DE89 3704 0044 0532 0130 00}}", "{{iban|DE89370400440532013000}}",
		"IBAN {{iban|GB29 NWBK 6016 1331 9268 19}}.",
		"{{iban|FR14 2004 1010 0505 0001 3M02 606}}", "{{iban|ES9121000418450200051332}}", "DE89 3704 0044 0532 0130 01",
		"DE12345",

		"mail {{email|marjorie.quill@halden.example}}.", "{{email|a+b@mail.co.uk}}, {{email|c@d.org}}",
		"写信给{{email|li@example.cn}}吧",
		"git@github.com:acme/x.git", "ssh deploy@box7.example.com", "deploy@box7", "@types/node@20.1.0", "user@host", "a@b.1",

		"her line is {{phone|07700 900482}} and", "{{phone|+44 20 7946 0958}}", "{{phone|+1 (415) 555-0132}}",
		"{{phone|(415) 555-0132}}",
		"{{phone|415-555-0132}}", "{{phone|+4917012345678}}", "Tel. {{phone|030 1234567}}", "Handy: {{phone|0170/1234567}}",
		"{{phone|06 12 34 56 78}}", "appelez le {{phone|01.23.45.67.89}}", "móvil {{phone|612 345 678}}",
		"celular {{phone|(11) 98765-4321}}",
		"{{phone|090-1234-5678}}", "電話は{{phone|03-1234-5678}}です", "手机 {{phone|13812345678}}", "{{phone|138 1234 5678}}",
		"Call {{phone|555-0132}}",
		"2024-05-01 10:00", "05.03.2026", "192.168.10.200", "version 1.22.333", "order 0012 3456 7890", "1718041234",
		"+20000 rows",
		"10:30-11:45", "build 20240501.123", "ISBN 0-306-40615-2", "between 100 200 300 ms", "call 3 functions",
		"p95 of 0.412 s",
		"2026-03-05T10:00:00+01:00", "12 345 678 rows", "in 2024 2025 2026", "10.0.0.0/16", "ticket 415555",

		"SSN {{id_number|078-05-1120}}", "CPF {{id_number|111.444.777-35}}", "DNI {{id_number|12345678Z}}",
		"NIE {{id_number|X1234567L}}",
		"身份证 {{id_number|11010519491231002X}}", "NIR {{id_number|1 85 05 78 006 084 91}}",
		"Steuer-ID: {{id_number|86095742719}}",
		"マイナンバー {{id_number|123456789018}}", "000-12-3456", "111.444.777-36", "12345678A",
		"passport number {{passport|C01X00T47}}", "Reisepass: {{passport|C4J5L8K92}}", "passeport n° {{passport|18AB12345}}",
		"護照號碼 護照 {{passport|A12345678}}", "旅券番号は{{passport|TK1234567}}です", "my passport expires 2031",
		"passport.js 0.7.0 works",
		"passport photos by 20260305",
	})
}
