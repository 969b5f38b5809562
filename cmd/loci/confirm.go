package main

import (
	"bufio"
	"strings"
)

// confirm asks the person on standard error. Anything but yes is no, also the
// end of the input.
func (p *program) confirm(question string) bool {
	p.note("%s [y/N]", question)
	answer, err := bufio.NewReader(p.in).ReadString('\n')
	if err != nil && answer == "" {
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
