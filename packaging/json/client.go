// Runs a command of mfa-enroll, and asks the user what it needs: go run client.go enroll --name phone
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Line is a line that mfa-enroll writes. The schema has the other fields.
type Line struct {
	Need, Text, Notice, Key, URL   string
	Rejected, Error, Message, Hint string
	Result                         string
	RecoveryCodes                  []string
}

// converse runs mfa-enroll. answer returns the answer to a need, or false to cancel; show gets the lines that need
// no answer. The last line has Result or Error.
func converse(arguments []string, answer func(Line) (string, bool), show func(Line)) (Line, error) {
	last := Line{Error: "helperEnded", Message: "mfa-enroll ended.", Hint: "Try again."}
	tool := exec.Command("mfa-enroll", append(arguments, "--json")...)
	input, err := tool.StdinPipe()
	if err != nil {
		return last, err
	}
	output, err := tool.StdoutPipe()
	if err != nil {
		return last, err
	}
	if err := tool.Start(); err != nil {
		return last, err
	}
	lines := json.NewDecoder(output)
	for lines.More() {
		var line Line
		if err := lines.Decode(&line); err != nil {
			return last, err
		}
		switch {
		case line.Result != "" || line.Error != "":
			last = line
		case line.Need != "":
			reply := map[string]any{"cancel": true}
			if value, ok := answer(line); ok {
				reply = map[string]any{line.Need: value}
			}
			if err := json.NewEncoder(input).Encode(reply); err != nil {
				return last, err
			}
		default:
			show(line)
		}
	}
	// The status says the same as the last line.
	_ = tool.Wait()
	return last, nil
}

var terminal = bufio.NewReader(os.Stdin)

func setEcho(mode string) {
	stty := exec.Command("stty", mode)
	stty.Stdin = os.Stdin
	_ = stty.Run()
}

func ask(line Line) (string, bool) {
	question := line.Text
	if question == "" {
		question = line.Need + ": "
	}
	if line.Need == "password" || line.Need == "ticket" {
		setEcho("-echo")
		defer setEcho("echo")
	}
	fmt.Print(question)
	value, err := terminal.ReadString('\n')
	return strings.TrimRight(value, "\n"), err == nil
}

func show(line Line) {
	switch {
	case line.Key != "":
		fmt.Println("Add this key to your app:", line.Key, "or open", line.URL)
	case line.Notice != "":
		fmt.Println(line.Notice)
	case line.Rejected != "":
		fmt.Println(line.Message, line.Hint)
	}
}

func main() {
	last, err := converse(os.Args[1:], ask, show)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if last.Error != "" {
		fmt.Fprintf(os.Stderr, "%s: %s %s\n", last.Error, last.Message, last.Hint)
		os.Exit(1)
	}
	fmt.Println("done:", last.Result)
	for _, code := range last.RecoveryCodes {
		fmt.Println("recovery code:", code)
	}
}
