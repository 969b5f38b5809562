package sensitive

import (
	"slices"
	"strings"
)

// hooks are the parts of the addresses to which a program posts without any other secret. More than leastHook
// characters follow.
var hooks = []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/",
	"discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/", "outlook.office.com/webhook/",
	"hooks.zapier.com/hooks/catch/", "hook.integromat.com/", "make.com/", "maker.ifttt.com/trigger/",
	"chat.googleapis.com/v1/spaces/", "api.telegram.org/bot", "open.feishu.cn/open-apis/bot/",
	"open.larksuite.com/open-apis/bot/", "oapi.dingtalk.com/robot/send?access_token=",
	"qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "logic.azure.com", "api.powerplatform.com", "m.pipedream.net",
	"events.pagerduty.com/integration/", "api.opsgenie.com/v1/json/", "webhook.site/", "/webhook/", "/webhooks/",
	"/hooks/", "/hook/", "/incoming/", "/webhook-test/", "/incomingwebhook/", "/webhookb2/"}

// hookHosts begin the names of computers that only receive what programs post.
var hookHosts = []string{"hooks.", "hook.", "webhook.", "webhooks.", "hooks-", "webhooks-"}

// sources are in the addresses of files and changes, whose long numbers are no secrets.
var sources = []string{"/commit/", "/commits/", "/blob/", "/tree/", "/pull/", "/issues/", "/compare/", "/raw/"}

const (
	leastHook = 8
	maxURL    = 4096
	maxScheme = 24
)

// urls finds addresses that have a password, and those of webhooks.
func (s *scan) urls() {
	s.each(s.text, "://", func(at int) int {
		start := at
		for start > 0 && at-start < maxScheme && (alnum[s.text[start-1]] || strings.IndexByte("+.-", s.text[start-1]) >= 0) {
			start--
		}
		end := run(s.text, at, urlChars)
		end -= len(s.text[at:end]) - len(strings.TrimRight(s.text[at:end], ".,;:!?)]}'*|"))
		if end-at > maxURL || start == at {
			return end
		}
		if strings.HasSuffix(s.fold[max(0, start-5):start], "jdbc:") {
			start -= len("jdbc:")
		}
		scheme, rest := s.fold[start:at], s.text[at+3:end]
		switch {
		case hasLogin(scheme, rest):
			s.add(ConnectionString, start, end)
		case strings.HasPrefix(scheme, "http") && (isHook(rest) || s.namedHook(start, rest)):
			s.add(Webhook, start, end)
		}
		return end
	})
	s.each(s.fold, "hooks.slack.com/services/", s.bareHook)
	s.each(s.fold, "discord.com/api/webhooks/", s.bareHook)
	s.each(s.fold, "jdbc:", func(at int) int {
		end := run(s.text, at, urlChars)
		if strings.Contains(s.fold[at:min(end, at+maxURL)], "password=") {
			s.add(ConnectionString, at, end)
		}
		return end
	})
}

// bareHook finds the address of a webhook without its scheme.
func (s *scan) bareHook(at int) int {
	end := run(s.text, at, urlChars)
	if isHook(s.text[at:min(end, at+maxURL)]) {
		s.add(Webhook, at, end)
	}
	return end
}

// hasLogin reports whether an address has a password.
func hasLogin(scheme, rest string) bool {
	web := strings.HasPrefix(scheme, "http") || scheme == "git" || scheme == "ws" || scheme == "wss"
	if !web {
		if _, after, ok := strings.Cut(strings.ToLower(rest), "password="); ok && !isReference(after) && !isFiller(after) {
			return true
		}
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); web && i >= 0 {
		authority = rest[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return false
	}
	user, pw, ok := strings.Cut(authority[:at], ":")
	if !ok || pw == "" {
		return web && len(user) >= 20 && !isFiller(user) && mixed(user) // a token in place of a user
	}
	return !isReference(pw) && !isFiller(pw) && !slices.Contains(plainPasswords, strings.ToLower(pw)) &&
		!strings.EqualFold(pw, "x-oauth-basic")
}

// plainPasswords are what stands for a password in an example.
var plainPasswords = []string{"password", "passwd", "pass", "pw", "pwd", "secret", "passwort", "contraseña", "senha",
	"mot_de_passe", "motdepasse", "changeme", "change-me", "change_me", "token", "key", "api_key", "apikey", "example"}

// isHook reports whether an address ends in the secret of a webhook.
func isHook(rest string) bool {
	low := strings.ToLower(rest)
	for _, h := range hooks {
		i := strings.Index(low, h)
		if i < 0 {
			continue
		}
		tail := rest[i+len(h):]
		if strings.HasPrefix(h, "/") {
			return !isSource(low) && slices.ContainsFunc(strings.FieldsFunc(tail, notInKey), isSecretPart)
		}
		if len(tail) < leastHook || isFiller(tail) {
			return false
		}
		if h == "make.com/" {
			return strings.HasPrefix(low, "hook.") && mixed(tail)
		}
		return h == "m.pipedream.net" || slices.ContainsFunc(strings.FieldsFunc(tail, notInKey), isSecretPart)
	}
	return strings.HasSuffix(strings.TrimRight(low, "/"), "m.pipedream.net") ||
		slices.ContainsFunc(hookHosts, func(h string) bool { return strings.HasPrefix(low, h) }) && hasSecretPath(rest)
}

func isSource(low string) bool {
	return slices.ContainsFunc(sources, func(p string) bool { return strings.Contains(low, p) })
}

// hasSecretPath reports whether a part of the path of an address was made up by a machine.
func hasSecretPath(rest string) bool {
	_, path, _ := strings.Cut(rest, "/")
	return !isFiller(path) && !isSource(strings.ToLower(rest)) &&
		slices.ContainsFunc(strings.FieldsFunc(path, notInKey), isSecretPart)
}

// hookNear is how far before an address the word stands that says what it is.
const hookNear = 24

// namedHook reports whether the text calls an address a webhook: "WEBHOOK_URL=https://…".
func (s *scan) namedHook(start int, rest string) bool {
	before := s.fold[max(0, start-hookNear):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	i := strings.LastIndex(before, "hook")
	return i >= 0 && strings.IndexByte(":= (<\"'", before[len(before)-1]) >= 0 && strings.ContainsAny(before[i:], ":=") &&
		hasSecretPath(rest)
}

func notInKey(r rune) bool { return r > 127 || !wordChars[byte(r)] }

// isSecretPart reports whether a piece of an address is long and made up by a machine.
func isSecretPart(part string) bool {
	switch {
	case isFiller(part):
		return false
	case isUUID(part):
		return true
	case len(part) >= 16:
		return mixed(part) || part != strings.ToLower(part) && part != strings.ToUpper(part)
	}
	return len(part) >= leastHook-2 && mixed(part) && spread(part)
}

// Of a list of settings, such as "Server=…;Password=…": what marks its password, what it begins with, and how far it
// goes.
var (
	settingKeys  = []string{"password=", "pwd=", "accountkey=", "sharedaccesskey=", "sharedsecretvalue="}
	settingNames = []string{"server=", "data source=", "host=", "hostaddr=", "endpoint=", "defaultendpointsprotocol=",
		"accountname=", "user id=", "uid=", "user=", "database=", "initial catalog=", "dbname=", "driver=", "addr=",
		"address=", "port=", "hostname=", "sharedaccesskeyname="}
	settingChars = classOf(" -._~:/?#[]@!$&()*+,;=%{}\\|^", "09", "AZ", "az")
)

const maxSettings = 250

// connections finds lists of settings that have a password.
func (s *scan) connections() {
	for _, key := range settingKeys {
		s.each(s.fold, key, func(at int) int {
			first := s.settingsStart(at)
			end := s.settingEnd(at + len(key))
			value := strings.Trim(s.text[at+len(key):end], "\"'")
			alone := first == at && !strings.Contains(key, "key=")
			if alone || value == "" || isFiller(value) || isReference(value) {
				return end
			}
			s.add(ConnectionString, first, s.settingsEnd(end))
			return end
		})
	}
}

// settingsStart returns where the settings begin that stand before one.
func (s *scan) settingsStart(at int) int {
	first := at
	for i := at - 1; i >= 0 && at-i < maxSettings && settingChars[s.text[i]]; i-- {
		if i > 0 && strings.IndexByte("; \"'\n(`", s.text[i-1]) < 0 {
			continue
		}
		if slices.ContainsFunc(settingNames, func(n string) bool { return strings.HasPrefix(s.fold[i:], n) }) {
			first = i
		}
	}
	return first
}

// settingEnd returns where a value ends.
func (s *scan) settingEnd(at int) int {
	limit := min(len(s.text), at+maxSettings)
	i := at
	for i < limit && strings.IndexByte(";\" '\r\n\t`", s.text[i]) < 0 {
		i++
	}
	return i
}

// settingsEnd returns where the settings end that follow a value.
func (s *scan) settingsEnd(at int) int {
	limit := min(len(s.text), at+maxSettings)
	end := at
	for i := at; i < limit && (s.text[i] == ';' || s.text[i] == ' '); {
		i++
		equals := i
		for equals < limit && (alnum[s.text[equals]] || s.text[equals] == ' ' && s.text[at] == ';') {
			equals++
		}
		if equals == i || equals >= limit || s.text[equals] != '=' {
			break
		}
		i = s.settingEnd(equals + 1)
		end = i
	}
	return end
}
