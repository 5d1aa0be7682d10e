"""A stand-in for a GSM modem at a serial port: a pseudo-terminal that speaks the AT commands with
which daemons send messages (3GPP TS 27.005), and reads the messages as a phone does (3GPP TS 23.040).

    at-modem.py DEVICE FILE [OWNER]

DEVICE becomes a symbolic link to the terminal, which belongs to OWNER. Each complete message is
appended to FILE, as a line with a JSON object: to, text, parts, and alphabet (7 bits or UCS-2).
"""

import json
import os
import re
import shutil
import sys
import termios
import tty

# 3GPP TS 23.038, sections 6.2.1 and 6.2.1.1.
BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")
EXTENSION = {0x0A: "\f", 0x14: "^", 0x28: "{", 0x29: "}", 0x2F: "\\", 0x3C: "[", 0x3D: "~",
             0x3E: "]", 0x40: "|", 0x65: "€"}
# The answers to commands, as regular expressions. Other questions and commands of Motorola's phones
# are errors, and other commands are accepted.
ANSWERS = [
    (r"\+CGMI|\+GMI", "SIMCOM INCORPORATED"), (r"\+CGMM|\+GMM", "SIMCOM_SIM800L"),
    (r"\+CGMR|\+GMR", "Revision:1"), (r"\+CGSN|\+GSN", "490154203237518"),
    (r"\+CIMI", "310150123456789"), (r"\+CSCA\?", '+CSCA: "+15105550000",145'),
    (r"\+CMGF=\?", "+CMGF: (0,1)"), (r"\+CMGF\?", "+CMGF: 0"), (r"\+CPIN\?", "+CPIN: READY"),
    (r"\+CREG\?", "+CREG: 0,1"), (r"\+CSQ", "+CSQ: 20,0"), (r"\+CBC", "+CBC: 0,90"),
    (r"\+CSCS=\?", '+CSCS: ("GSM","UCS2")'), (r"\+CSCS\?", '+CSCS: "GSM"'),
    (r"\+CSMS\?", "+CSMS: 0,1,1,1"), (r"\+CPMS=\?", '+CPMS: ("SM"),("SM"),("SM")'),
    (r"\+CPMS\?", '+CPMS: "SM",0,10,"SM",0,10,"SM",0,10'), (r"\+CPMS=", "+CPMS: 0,10,0,10,0,10"),
]


def septets(data, count, skipped):
    """`count` numbers of 7 bits, after `skipped` bits."""
    bits = int.from_bytes(data, "little") >> skipped
    return [bits >> 7 * index & 0x7F for index in range(count)]


def seven_bit_text(numbers):
    text, is_extension = "", False
    for number in numbers:
        if number == 0x1B and not is_extension:
            is_extension = True
            continue
        text += EXTENSION.get(number, "?") if is_extension else BASIC[number]
        is_extension = False
    return text


class Part:
    """A message that a modem sends (SMS-SUBMIT), or a part of one."""

    def __init__(self, pdu):
        pdu = pdu[1 + pdu[0]:]
        first, length = pdu[0], pdu[2]
        digits = "".join(f"{byte & 15:X}{byte >> 4:X}" for byte in pdu[4:4 + (length + 1) // 2])
        self.to = ("+" if pdu[3] == 0x91 else "") + digits[:length]
        pdu = pdu[4 + (length + 1) // 2:]
        coding = pdu[1]
        pdu = pdu[2 + {0: 0, 2: 1}.get(first >> 3 & 3, 7):]
        length, data = pdu[0], pdu[1:]
        header = data[0] + 1 if first & 0x40 else 0
        self.reference, self.count, self.number = self.concatenation(data[1:header])
        self.alphabet = {0x00: "7 bits", 0x08: "UCS-2"}[coding]
        if coding == 0x08:
            if len(data) != length or length > 140:
                raise ValueError("length")
            # The units of several parts are joined before they are decoded.
            self.content = data[header:]
        else:
            # The text begins with a whole number after the header.
            skipped = (header * 8 + 6) // 7
            if length > 160 or len(data) != (length * 7 + 7) // 8:
                raise ValueError("length")
            self.content = septets(data, length, 0)[skipped:]

    @staticmethod
    def concatenation(header):
        while header:
            kind, length, value = header[0], header[1], header[2:2 + header[1]]
            if kind == 0x00:
                return value[0], value[1], value[2]
            if kind == 0x08:
                return value[0] << 8 | value[1], value[2], value[3]
            header = header[2 + length:]
        return None, 1, 1


class Phone:
    """The phone that receives the messages."""

    def __init__(self, path):
        self.path = path
        self.parts = {}

    def receive(self, part):
        key = (part.to, part.reference, part.count, part.alphabet)
        parts = self.parts.setdefault(key, {})
        parts[part.number] = part.content
        if sorted(parts) != list(range(1, part.count + 1)):
            return
        contents = [self.parts[key][number] for number in range(1, part.count + 1)]
        del self.parts[key]
        if part.alphabet == "UCS-2":
            text = b"".join(contents).decode("utf-16-be")
        else:
            text = seven_bit_text(sum(contents, []))
        line = {"to": part.to, "text": text, "parts": part.count, "alphabet": part.alphabet}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class Modem:
    """The commands of the modem."""

    def __init__(self, terminal, phone):
        self.terminal = terminal
        self.phone = phone
        self.length = None
        self.echoes = True

    def answer(self, text):
        os.write(self.terminal, text.encode("ascii"))

    def message(self, line):
        pdu = bytes.fromhex(line)
        is_complete = len(pdu) - 1 - pdu[0] == self.length
        self.length = None
        try:
            if not is_complete:
                raise ValueError("length")
            self.phone.receive(Part(pdu))
        except (ValueError, IndexError, KeyError):
            return self.answer("\r\n+CMS ERROR: 304\r\n")
        return self.answer("\r\n+CMGS: 1\r\n\r\nOK\r\n")

    def command(self, line):
        if self.echoes:
            self.answer(line + "\r")
        line = line.strip().upper()
        if not line.startswith("AT"):
            return None
        if re.match("ATE[01]", line):
            self.echoes = line[3] == "1"
        message = re.fullmatch(r"AT\+CMGS=(\d+)", line)
        if message:
            self.length = int(message[1])
            return self.answer("\r\n> ")
        for pattern, text in ANSWERS:
            if re.match("AT(" + pattern + ")", line):
                return self.answer("\r\n" + text + "\r\n\r\nOK\r\n")
        is_unknown = line.endswith("?") or line.startswith("AT+MODE")
        return self.answer("\r\nERROR\r\n" if is_unknown else "\r\nOK\r\n")

    def run(self):
        rest = b""
        while True:
            try:
                rest += os.read(self.terminal, 4096)
            except OSError:
                return
            while True:
                end = b"\x1a" if self.length is not None else b"\r"
                line, found, after = rest.partition(end)
                if not found:
                    break
                rest = after
                text = line.decode("ascii", "replace")
                if self.length is None:
                    self.command(text)
                else:
                    self.message(text.strip())


def main():
    device, path = sys.argv[1], sys.argv[2]
    terminal, other = os.openpty()
    tty.setraw(other)
    attributes = termios.tcgetattr(other)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(other, termios.TCSANOW, attributes)
    name = os.ttyname(other)
    if len(sys.argv) > 3:
        shutil.chown(name, sys.argv[3])
        os.chmod(name, 0o600)
    with open(path, "w", encoding="utf-8"):
        pass
    os.symlink(name, device)
    # `other` stays open, so that the terminal does not hang up between two users.
    Modem(terminal, Phone(path)).run()


main()
