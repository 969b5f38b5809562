package sensitive

import "testing"

// TestMoreForms has further lines as people write them down in seven languages.
func TestMoreForms(t *testing.T) {
	t.Parallel()
	check(t, []string{
		"Reception: entry keypad {{access_code|7719}}, lift to 4", "the cleaner's code for the alarm is {{access_code|4480}}",
		"if the alarm beeps type {{access_code|4480}} and enter", "Shed padlock {{access_code|3-9-1-4}}",
		"bike lock {{access_code|4480}}", "storage unit 14, code {{access_code|448031}}",
		"lockbox ({{access_code|4480}}) left of the door", "garage opener: press {{access_code|4480}}",
		"Tresorkombination {{access_code|34-12-77}}", "Alarmanlage scharf/unscharf mit {{access_code|4480}}",
		"Haustürcode {{access_code|4480}}", "Code Schlüsselkasten: {{access_code|4480}}",
		"clé dans la boîte, code {{access_code|4480}}", "alarme : {{access_code|4480}} puis #",
		"caja de llaves con código {{access_code|4480}}", "la alarma se apaga con {{access_code|4480}}",
		"alarme desliga com {{access_code|4480}}", "cofre: senha {{access_code|448031}}",
		"アラームの解除は{{access_code|4480}}", "ポストの暗証番号: {{access_code|4480}}", "宅配BOXの番号は{{access_code|4480}}です",
		"保险箱：{{access_code|34-12-77}}", "楼下门禁码{{access_code|4480}}", "报警器密码{{access_code|4480}}",
		"alarm: 0630", "alarm: 4471 events", "safe: 5000 rows", "press 4480 people into the hall",
		"Type 4480 errors near the gate", "entry keypad 4x4 matrix", "郵便受けは右に2、左に5", "door code PIN rules",

		"jenkins / {{password|Kx92mmQQ!}}", "basic auth staging:{{password|letMeIn-22}}",
		"htpasswd: staging / {{password|letMeIn-22}}", "Zugang zum Portal: kunde7 / {{password|Regen!Tag5}}",
		"Passwort Kasse {{password|Kasse2024!}}", "das Kennwort, {{password|Kasse2024!}}, steht am Monitor",
		"accès VPN : jdupont / {{password|Pluie!Jour5}}", "acceso al panel: admin / {{password|Lluvia!Dia5}}",
		"la contraseña sigue siendo {{password|caja2024}}", "a senha continua {{password|caixa2024}}",
		"VPNのパスワードは{{password|ame-no-hi5}}のまま", "仮パスワード「{{password|Kari2024x}}」",
		"VPN密码还是{{password|yutian2024}}", "用户名 zhang 密码 {{password|yutian2024}}",
		"the office / Windows11", "a / b", "senha continua igual", "password for the Windows11 image",
		"the rest stays with Alarm2 and Alarm3",

		"Bearer: {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", "el token es {{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}",
		"トークンは{{token|k9Xq2Lm7Wp4Rt8Vb1Nc5}}", "X-Api-Key {{api_key|k9Xq2Lm7Wp4Rt8Vb1N}}", "bearer: of bad news",

		"Klempner {{phone|0664 1234567}}", "{{phone|+49 (0)30 5550144}}", "{{phone|(+33) 6 12 34 56 78}}",
		"{{phone|+1.415.555.0132}}", "{{phone|+7 912 345-67-89}}", "{{phone|1-800-555-0132}}",
		"{{phone|+55 11 98765-4321}}", "{{phone|022 345 67 89}}", "{{email|jürgen@müller.example}}",
		"{{iban|AT61 1904 3002 3457 3201}}", "passport: {{passport|533401372}}",
	})
}
