package sensitive

import "testing"

// TestLoose has secrets whose label says little, or that only their form gives away.
func TestLoose(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"API for the mail: {{api_key|post~r_live_9c21f0a7BRK55dd}}",
		"{{api_key|zq~x_secret_8Kd02mXq9LwZt41}} is in the sheet",
		"use {{api_key|acme~_sk_8Kd02mXq9LwZt41Rv}}", "API: {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"key = {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"Schlüssel: {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}", "clé : {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"キー：{{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"chave da busca: {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}", "llave = {{api_key|k9Xq2Lm7Wp4Rt8Vb1}}",
		"DNS: {{api_key|ho~st_prod_8Kd02mXq9LwZt41}}", "{{api_key|s~k_8Kd02mXq9LwZt41Rv8Kd02mX}}",
		"{{api_key|tskey~-auth-kX9q2Lm7Wp-8Vb1Nc5Zf3}}", "{{api_key|re~_8Kd02mXq_9LwZt41Rv8Kd02mX}}",
		"{{api_key|lsv2~_pt_3f9a1c7e5b2d8064_3f9a1c7e5b}}",

		"the users_test_table2024 table", "func handle_live_connection2024", "pk_~live_8Kd02mXq9LwZt41",
		"run_test_3f9a1c7e5b2d8064",
		"is_live_updates_enabled_v2", "primary key: customer8Kd02mXq9LwZ", "cache key: k9Xq2Lm7Wp4Rt8Vb1", "key: value",
		"The API is v2alpha1", "API: https://api.example.com/v1", "key: gemini-1.5-pro-002",
		"API for the DNS: see the wiki",
		"object key: 2024/05/Ab3dEf9hIj2kLm.png", "Schlüssel: liegt unter der Matte", "re_engineering_of_the_module_2024",
		"key takeaways: 3 teams", "the key is under the mat", "my_test_results20240501",

		"wifi for guests is {{password|maple-heron-31}}", "Das WLAN im Büro ist {{password|Katze-Dach-99}}",
		"wifi: CafeNet / {{password|latte-art-44}}", "le wifi c'est {{password|citron-vert-2020}}",
		"el wifi es {{password|gato-azul-77}}",
		"o wifi é {{password|gato-azul-77}}", "Hotspot: {{password|Zebra!run7}}",
		"wifi at the cabin: {{password|k9Xq2Lm7Wp}}",
		"wifi is FritzBox-7590", "the wifi is 802.11ac", "wifi: HomeNet-5G", "wifi is slow in room 12",
		"wifi: WPA2-Enterprise",
		"wlan ist seit 14:30 kaputt", "the wifi is guest-net-5", "wifi: ask Tom-2",

		"tv: {{email|ada@example.org}} / {{password|Plum-Tree-4}}", "smtp pass {{password|Kx92mmQQ}}",
		"API for the weather: {{api_key|9c21f0a7be55dd019c21f0a7be55dd01}}",
		"SECRET_KEY_BASE={{api_key|3f9a1c7e5b2d80643f9a1c7e}}",
		"boarding pass AB12CD34", "a mountain pass 2100m high", "file hash key: 9c21f0a7be55dd019c21f0a7be55dd01",
		"2fa backups: {{access_code|4f9k-22ab, 9kx2-77pl}}",

		"usuario tienda, clave {{password|Melon-Puerta-31}}", "Benutzer: laden, Zugang {{password|Zitrone-Dach-55}}",
		"utilisateur atelier, clé {{password|Citron-Toit-55}}", "usuário loja, chave {{password|Limao-Telha-55}}",
		"ユーザー名 shop、パス {{password|Lemon-Roof-55}}",
		"clave: {{password|Melon-Puerta-31}}", "la clave es {{password|Melon-Puerta-31}}",
		"la clave es la paciencia", "clave: 3 huevos", "la clave del éxito", "chave: 12 mm",
		"usuario nuevo, clave pendiente",
		"clave: importante", "la clé est sous le pot", "la clave es IPv6-only",
	})
}

// TestSpacedCodes has codes in pairs and behind the name of an alarm, and what only looks like these or a telephone.
func TestSpacedCodes(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"Front door {{access_code|83 41 E}}, alarm {{access_code|5526}} (30 s to type it).",
		"Haustür {{access_code|48 15 B}}, Alarmanlage {{access_code|7791}}.",
		"puerta: {{access_code|61 92}}, alarma {{access_code|8164}}.", "portão {{access_code|38 77 A}}",
		"porte : {{access_code|41 97}}",
		"the alarm 0730 was late", "alarm 6 times", "door 12 and door 14", "gate 44 at 10", "alarm 2026",
		"AWB 020-4471 9936, ref NL-88213-C", "Frachtbrief 020-4471 9936", "运单 020-4471 9936",
		"the hotline is staffed 07.00-19.00", "Hotline 8.30–17.45", "mobile, do not pass on: {{phone|07700 900 655}}",
		"pass it on: 3 apples", "pass through: A4-gate-22",
	})
}

// TestWebhooks has addresses of any computer to which programs post.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"HOOK={{webhook|https://hooks.talk.example/services/T0XY34/B8ZZ11/mNbVcXz9Hook17}}",
		"{{webhook|https://chat.example.org/hooks/k9xq2lm7wp4rt8vb1nc5zf3hj6}}",
		"WEBHOOK_URL={{webhook|https://ci.example.org/in/8Kd02mXq9LwZt41Rv}}",
		"alert webhook: {{webhook|https://alerts.example/v1/8Kd02mXq9LwZt41Rv/post}}",
		"{{webhook|https://hook.eu1.make.com/8kd02mxq9lwzt41rv8kd02mx}}",
		"{{webhook|https://auto.example.org/webhook-test/3f9a1c7e-5b2d-4064-8f3a-9c1e7b5d2806}}",
		"{{webhook|https://webhooks.acme.example/8Kd02mXq9LwZt41Rv}}",
		"https://hooks.example.org/docs",
		"https://github.com/acme/webhooks/commit/3f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e",
		"webhook: https://example.org/docs/setup", "the hook is at https://example.org/x/8Kd02mXq9LwZt41Rv",
		"hooks.slack.com is down", "WEBHOOK_URL=https://example.org/your-secret-path",
	})
}

// TestLoosePhones has telephone numbers without "+" or a word, and numbers of passports with few digits.
func TestLoosePhones(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"llamo a la familia de Nora ({{phone|654 321 987}})", "Marta ({{phone|654 32 19 87}})",
		"João ({{phone|912 345 678}})",
		"front desk {{phone|(555) 010-2234}}", "{{phone|(212) 011-7734}}", "landline {{phone|555-0199}}",
		"Jonas ({{phone|01712345678}})", "王芳（{{phone|13812345678}}）", "my number: {{phone|612345098}}",
		"the rows (654 321 987) were read", "Totals (654.3 321 987)", "Orders (654 321 98)", "Build (123 456 789)",

		"passport no. {{passport|K7RTBPFW2}}", "Reisepass-Nr. {{passport|CFGHJK12L}}",
		"pasaporte nº {{passport|XKJ12RTPL}}",
		"passeport : {{passport|K7RTBPFW2}}", "passport: {{passport|AB123456}}",
		"my passport {{passport|K7RTBPFW2}} expires in May", "passport (Nora): {{passport|K7RTBPFW2}}",
		"passport check at GATE12, TERMINAL2",
		"passport office NORTHWEST", "passport for VALENCIA", "passport is REQUIRED", "passport no BIOMETRIC",
	})
}
