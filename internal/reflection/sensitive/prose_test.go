package sensitive

import "testing"

// TestProsePasswords has passwords in whole sentences, and sentences that only talk about passwords.
func TestProsePasswords(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"The account password had expired. Reset it to {{password|Maple!Quarry-58}} and told Ines.",
		"Rotated the db password; the new one is {{password|Orbit#Kettle-41}}.",
		"Password changed, it's now {{password|Orbit#Kettle-41}} for both hosts",
		"I gave Tom the staging password ({{password|Orbit$Kettle41}}).",
		"Das Passwort war abgelaufen. Ich habe es auf {{password|Birke!Fluss-27}} gesetzt.",
		"Passwort neu vergeben, lautet jetzt {{password|Birke!Fluss-27}}",
		"Kennwort vom NAS hab ich auf {{password|Birke&Fluss27}} geändert",
		"J'ai changé le mot de passe, c'est maintenant {{password|Verger!Lune-62}}.",
		"Le mot de passe du NAS a été remis à {{password|Verger!Lune-62}} hier soir",
		"nouveau mdp pour la compta : {{password|Verger-Lune62}}",
		"La contraseña caducó; la puse en {{password|Higuera!Rio-35}} esta mañana.",
		"Cambié la contraseña del router a {{password|Higuera!Rio-35}}.",
		"la contraseña nueva es {{password|Higuera-Rio35}}",
		"A senha venceu, troquei por {{password|Figueira!Rio-35}} hoje cedo",
		"a nova senha do servidor ficou {{password|Figueira-Rio35}}.",
		"redefini a senha para {{password|Figueira!Rio-35}}",
		"パスワードが切れたので{{password|Kaede!Kawa-35}}に変えました。", "パスワードを{{password|Kaede-Kawa35}}に変更した",
		"新しいパスワードは{{password|Kaede-Kawa35}}。", "管理画面のパスワード、{{password|Kaede!Kawa-35}}になりました",
		"密码过期了，我重置成了{{password|Fengye!He-35}}。", "把后台密码换成{{password|Fengye-He35}}了", "新密码：{{password|Fengye-He35}}",
		"密码现在是{{password|Fengye!He35}}，记一下", "密碼已更新為 {{password|Fengye-He35}}",

		"The password rule is A-Z, a-z, 0-9 and one of !#$.", "We hash passwords with SHA256!",
		"password != User2.password",
		"The password test if a!=b2 fails", "Password reset ticket OPS-4471 is done",
		"le mot de passe expire le 12/05",
		"Passwords: section B-4 of the ISO-27001 manual", "Das Passwort muss 12 Zeichen haben, z. B. Groß/Klein",
		"パスワードの変更はv2.3から", "密码策略从V2.3起生效", "la contraseña se cambia cada 90 días", "senha forte: mínimo 12",
		"reset the password in build R2-D2", "パスワードはSHA-256で保存する", "密码用SHA-256存储",
	})
}

// TestProseCodes has codes of doors and locks in whole sentences.
func TestProseCodes(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"alarm panel: disarm with {{access_code|770318}} — tell nobody",
		"To get in the back gate, punch in {{access_code|6027}}.",
		"the shed opens with {{access_code|6027}}",
		"Building entry for the plumber: {{access_code|*6027}} then ring",
		"Supply room keypad changed to {{access_code|D6027K}}", "keypad on the dock: {{access_code|6027}}",
		"The padlock is set to {{access_code|6027}}.", "lock box on the railing, {{access_code|6027}} opens it",
		"Enter {{access_code|6027}} at the lobby door", "Key safe: {{access_code|C6027}}",
		"bike room code is {{access_code|6027E}}",
		"code for the bin store - {{access_code|6027}}", "front gate {{access_code|*6027#}}",
		"Neuer Code für den Fahrradraum: {{access_code|6027F}}", "Die Haustür geht mit {{access_code|6027}} auf.",
		"Alarm mit {{access_code|770318}} entschärfen", "Zahlenschloss am Schuppen: {{access_code|6027}}",
		"Schlüsselsafe {{access_code|6027}}, links vom Eingang", "Tastencode Lager: {{access_code|6027}}",
		"Le code du garage à vélos est {{access_code|C6027}}.", "pour l'alarme, tapez {{access_code|770318}}",
		"le portail s'ouvre avec le {{access_code|6027}}", "le cadenas du cabanon : {{access_code|6027}}",
		"code du local poubelles : {{access_code|60B27}}", "gate code - {{access_code|6027}}",
		"Türcode – {{access_code|6027}}", "code - 4471 lines",
		"error code - 4471", "pin - {{access_code|6027}}", "code review - 4471 near the door",
		"code d'entrée de la cave : {{access_code|6027}}",
		"la puerta del patio se abre con {{access_code|6027}}",
		"el código del cuarto de bicis es {{access_code|6027}}",
		"Para la alarma marca {{access_code|770318}}", "candado del trastero: {{access_code|6027}}",
		"o portão abre com {{access_code|6027}}", "no teclado da entrada digite {{access_code|6027}}",
		"o código do bicicletário é {{access_code|6027}}", "cadeado do depósito: {{access_code|6027}}",
		"駐輪場のドアは{{access_code|6027}}で開きます", "玄関は{{access_code|6027}}を押してください", "倉庫の暗証番号を{{access_code|6027}}に変えた",
		"キーボックスの番号、{{access_code|6027}}です", "宅配ボックスのコードは{{access_code|6027}}",
		"单元门密码改了，现在是{{access_code|6027}}", "车库门输入{{access_code|6027#}}就能开", "仓库门锁的密码换成{{access_code|#6027}}了",
		"门禁按{{access_code|6027}}", "快递柜取件码{{access_code|602714}}",

		"The keypad has 1204 keys", "the door opens at 0630", "we opened the gate with 4471 people in line",
		"issue #6027 is about the gate", "the vault holds 4471 rows", "Enter 2027 with a clean building",
		"room 6027, key at desk",
		"alarm set to 4000 rpm", "the lock is set to 3000 ms", "Raum 6027 ist frei", "门口排了4471人", "倉庫に6027個あります",
		"玄関は2026年に直す", "la puerta mide 2100 mm", "le portail date de 1998", "the garage was built in 1998.",
		"locker 6027", "Lock timeout: 4000 ms", "the lobby opens with 2000 seats", "code for the gateway: HTTP2",
		"alarm: 4471 events", "Enter the vault with 3 keys",
	})
}

// TestProsePhones has telephone numbers behind a name, and with the prefix of calls abroad.
func TestProsePhones(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"Eva: {{phone|612 345 098}}", "- Rui Lopes: {{phone|912 345 098}}", "号码 {{phone|138 0013 8000}}",
		"张师傅:{{phone|138 0013 8000}}",
		"担当:{{phone|090-5555-0162}}、", "{{phone|(0044) 7700 900123}}", "{{phone|0044 7700 900123}}",
		"{{phone|0034 612 345 098}}",
		"{{phone|0033 6 12 34 56 78}}", "{{phone|00 49 170 1234567}}", "Tel.{{phone|030 1234567}}",
		"mi número: {{phone|612345098}}",
		"手机号:{{phone|13800138000}}", "{{phone|+34 612 34 50 98}}", "{{phone|+81-90-5555-0162}}",
		"zap {{phone|(11) 95555-0172}}",
		"Marie {{phone|06.12.34.56.78}}", "Opa: {{phone|0170 1234567}}", "{{phone|+86 138 0013 8000}}",
		"{{phone|+353 86 123 4567}}",
		"{{phone|+61 412 345 678}}", "{{phone|+91 98765 43210}}", "Ana, {{phone|612 345 098}}",

		"Total: 612 345 098", "Zeilen: 912 345 098", "at 12:090-5555 rows", "0044 rows in 7700 tables",
		"Filas: 612 345 098",
		"Bytes: 912 345 678", "Ref.: 0034 612 345", "Reach: 612 345 098 views", "part 0049-170-12",
		"Budget: 612 345 098 €",
	})
}

// TestProseKeys has short keys, tokens by their vendors, and numbers of passports far from the word.
func TestProseKeys(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"api key: {{api_key|9c21f0a7be55dd01}}", "the api key is {{api_key|9c21f0a7be55dd01}}",
		"API-Schlüssel: {{api_key|9c21f0a7be55dd01}}",
		"clé API : {{api_key|9c21f0a7be55dd01}}", "APIキー：{{api_key|9c21f0a7be55dd01}}",
		"chave da API: {{api_key|9c21f0a7be55dd01}}",
		"Telegram bot: {{token|6104~582937:AAF7ZnXJXLeAgwK-vtnZFie-N9F6L5cyeQw}}",
		"BOT={{token|6104~582937:AAF7ZnXJXLeAgwK-vtnZFie-N9F6L5cyeQw}}",
		"Passports for the form: mine {{passport|883714902}}, Liv's {{passport|CFK7702913}}",
		"パスポートは使わないが、来月の手続きのため番号をここに控えておく:{{passport|TK4418203}}", "Pässe: Jan {{passport|C4J5L8K92}}",
		"从 {{iban|FR76 6892 5276 8298 0663 0883 893}} 收到", "IBAN {{iban|DE89 3704 0044 0532 0130 00}}",

		"commit 9c21f0a7be55dd01", "trace 9c21f0a7be55dd01", "12:AAF7ZnXJXLeAgwK-vtnZFie-N9F6L5cyeQw",
		"passports of 883714 people",
		"the api key hash 9c21f0a7be55dd01 matches", "passports cost 70 EUR", "2026-11-02T10:00:AA",
	})
}

// TestForms has short lines as people write them down for themselves.
func TestForms(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"the wifi password at the cottage is {{password|sunflower22}}",
		"Guest wifi: Birchwood_Guest / {{password|pancakes4all}}",
		"wifi pass is {{password|pancakes4all}}", "SSID Loft, PSK {{password|pancakes4all}}",
		"my netflix pw is {{password|pancakes4all}} btw", "pw = {{password|pancakes4all}}",
		"ssh root pw {{password|pancakes4all}}",
		"temp password {{password|Welcome2024!}} - must change at login",
		"initial password for new hires: {{password|Welcome2024!}}",
		"zip password is {{password|otter-lamp-9}}",
		"Das WLAN-Passwort lautet {{password|sonnenblume22}}", "WLAN im Ferienhaus: {{password|sonnenblume22}}",
		"Passwort für den Drucker ist {{password|drucker123}}", "PW Kundenportal: {{password|Kunde_7788}}",
		"le mdp wifi est {{password|tournesol22}}", "le code wifi : {{password|tournesol22}}",
		"mot de passe provisoire {{password|Tournesol22!}}",
		"la clave del wifi es {{password|girasol22}}", "contraseña temporal: {{password|Girasol22!}}",
		"a senha do wifi é {{password|girassol22}}", "senha provisória {{password|Girassol22!}}",
		"senha: {{password|girassol22}}",
		"Wi-Fiのパスワードは{{password|himawari22}}です", "PWは{{password|himawari22}}", "パスワード: {{password|himawari22}}",
		"WiFi密码是{{password|xiangrikui22}}", "初始密码{{password|Xiang@2024}}", "密码：{{password|xiangrikui22}}",
		"账号 admin，密码 {{password|xiangrikui22}}",
		"ユーザー admin / パスワード {{password|himawari22}}", "user: admin\npass: {{password|pancakes4all}}",
		"DB_PASSWORD: {{password|p4ncakes}}",
		"export PGPASSWORD='{{password|p4ncakes-9}}'", "mysql -u root -p{{password|p4ncakes9X}}",
		"sudo pw: {{password|p4ncakes}}",
		"login is {{email|maria@example.org}} / {{password|p4ncakes9}}",
		"maria logged in with {{password|p4nCakes!9x}} as the password",
		"passwd for deploy: {{password|p4ncakes}}", "the new passphrase: {{password|correct horse battery staple}}",

		"The gate code is {{access_code|4471}} now", "code for the side door: {{access_code|4471}}",
		"Airbnb lockbox: {{access_code|4471}}",
		"use code {{access_code|4471}} on the garage keypad", "Alarm PIN {{access_code|4471}}",
		"my phone PIN is {{access_code|4471}}",
		"debit card pin {{access_code|4471}}", "safe: {{access_code|33-12-08}}",
		"gym locker combo {{access_code|12-34-08}}", "2FA code {{access_code|482913}}",
		"SMS code was {{access_code|482913}}", "Der Code vom Tor ist {{access_code|4471}}",
		"Türcode Büro {{access_code|4471#}}",
		"PIN der EC-Karte {{access_code|4471}}", "code de l'immeuble : {{access_code|A4471}}",
		"le code du portail, c'est {{access_code|4471}}",
		"el código del portal es el {{access_code|4471}}", "PIN de la tarjeta: {{access_code|4471}}",
		"clave de la puerta {{access_code|4471}}", "senha do portão: {{access_code|4471}}",
		"código do cofre {{access_code|4471}}",
		"マンションのオートロックは{{access_code|4471}}", "門の暗証番号 {{access_code|4471}}", "キャッシュカードの暗証番号は{{access_code|4471}}",
		"确认码 {{access_code|482913}}",
		"小区门禁密码{{access_code|4471#}}", "保险柜密码是{{access_code|331208}}", "大门密码：{{access_code|4471}}",
		"银行卡密码{{access_code|447112}}",

		"Stripe test key {{api_key|sk_~test_51Hx9qLm2Zw8Rt4Yp}}",
		"OPENAI_API_KEY={{api_key|sk-~proj-a8Kd02mXq9LwZt41Rv}}",
		"Datadog API key: {{api_key|9c21f0a7be55dd019c21f0a7be55dd01}}",
		"Mailgun {{api_key|key-~9c21f0a7be55dd019c21f0a7be55dd01}}",
		"the key for the weather service is {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"maps key {{api_key|AI~zaSyD3kQ9xWm7Lp2Rt5Vb8Nc1Zf4Hj6Tg0U}}",
		"session cookie: {{token|s%3Ak9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"Authorization: Bearer {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"refresh token {{token|1//0gk9Xq2Lm7Wp4Rt8Vb1Nc5Zf3}}", "token: {{token|9c21f0a7be55dd019c21f0a7be55dd01}}",
		"curl -H 'X-Api-Key: {{api_key|k9Xq2Lm7Wp4Rt8}}'", "?access_token={{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"client secret: {{api_key|k9Xq2Lm7~Wp4Rt8}}",
		"Sentry DSN {{connection_string|https://9c21f0a7be55dd019c21f0a7be55dd01@o4.ingest.sentry.io/55}}",

		"router is slow", "WLAN im Zug: kaputt seit 2024", "wifi: linksys2400", "mysql -u root -p",
		"mysql -P 3306 -h db1",
		"mysqldump --port=3306 -psecret", "code for building 4471", "code for the release 2026",
		"PIN of the board 2024",
		"initial password policy", "new password rules from v2.3", "contraseña nueva pendiente",
		"el código del error es el 4471",
		"the key for the lookup is user_id", "the key for the map is customer-8812", "psk is off",
		"phone pin must have 6 digits",
		"code of conduct 2024", "código de barras 4006381333931", "code de la route 2024", "clave de la vida",
		"use 4471 rows for the gate test",
		"enter the building at 0900", "press 4 at the door", "按3次门铃", "opens 1030 at the main gate",
		"drücken 3 Leute die Tür",
	})
}
