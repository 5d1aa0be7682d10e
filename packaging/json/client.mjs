// Runs a command of mfa-enroll, and asks the user what it needs: node client.mjs enroll --name phone
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

// Runs mfa-enroll. answer(line) returns the answer to a need, or undefined to cancel; show(line) gets the lines
// that need no answer. Returns the last line, which has "result" or "error".
async function converse(args, answer, show) {
  const tool = spawn("mfa-enroll", [...args, "--json"], { stdio: ["pipe", "pipe", "inherit"] });
  let last = { error: "helperEnded", message: "mfa-enroll ended.", hint: "Try again." };
  for await (const text of createInterface({ input: tool.stdout })) {
    const line = JSON.parse(text);
    if ("result" in line || "error" in line) {
      last = line;
    } else if ("need" in line) {
      const value = await answer(line);
      const reply = value === undefined ? { cancel: true } : { [line.need]: value };
      tool.stdin.write(JSON.stringify(reply) + "\n");
    } else {
      show(line);
    }
  }
  return last;
}

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();

async function ask(line) {
  const hidden = process.stdin.isTTY && ["password", "ticket"].includes(line.need);
  if (hidden) spawnSync("stty", ["-echo"], { stdio: "inherit" });
  process.stdout.write(line.text ?? `${line.need}: `);
  const { value } = await answers.next();
  if (hidden) spawnSync("stty", ["echo"], { stdio: "inherit" });
  return value;
}

function show(line) {
  if ("key" in line) console.log("Add this key to your app:", line.key, "or open", line.url);
  else if ("notice" in line) console.log(line.notice);
  else if ("rejected" in line) console.log(line.message, line.hint);
}

const last = await converse(process.argv.slice(2), ask, show);
terminal.close();
if ("error" in last) {
  console.error(`${last.error}: ${last.message} ${last.hint}`);
  process.exit(1);
}
console.log("done:", last.result);
for (const code of last.recoveryCodes ?? []) console.log("recovery code:", code);
