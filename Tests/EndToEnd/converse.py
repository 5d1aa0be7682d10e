"""Runs a command of mfa-enroll with --json. Checks that each line has the form of the installed schema, and that each
answer is one. Prints the lines, the exit status and the text on standard error as a JSON array.

usage: converse.py ANSWERS ARGUMENT..., where ANSWERS is a JSON object with a list of answers for each need. The answer
"right" stands for the code of the offered key, and an object is sent as it is. Without an answer, the input ends."""

import json
import subprocess
import sys

import jsonschema

schema = json.load(open("/usr/share/mfa/mfa-enroll.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
is_line = jsonschema.Draft202012Validator(schema)
is_answer = jsonschema.Draft202012Validator({"$ref": "#/$defs/answer", "$defs": schema["$defs"]})


def code_of(offer):
    return subprocess.check_output(
        ["/usr/bin/oathtool", "--totp=" + offer["algorithm"], "--base32", "--digits", str(offer["digits"]),
         "--time-step-size", str(offer["periodSeconds"]) + "s", offer["key"]], text=True).strip()


answers = json.loads(sys.argv[1])
tool = subprocess.Popen(
    ["/usr/bin/mfa-enroll", *sys.argv[2:], "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    stderr=subprocess.PIPE, encoding="utf-8")
lines = []
offer = None
for text in tool.stdout:
    line = json.loads(text)
    is_line.validate(line)
    lines.append(line)
    if "key" in line:
        offer = line
    if "need" in line:
        left = answers.get(line["need"], [])
        if not left:
            tool.stdin.close()
            continue
        answer = left.pop(0)
        if not isinstance(answer, dict):
            answer = {line["need"]: code_of(offer) if answer == "right" else answer}
        is_answer.validate(answer)
        tool.stdin.write(json.dumps(answer) + "\n")
        tool.stdin.flush()
print(json.dumps([lines, tool.wait(), tool.stderr.read()]))
