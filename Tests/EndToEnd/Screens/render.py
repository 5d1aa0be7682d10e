#!/usr/bin/python3
"""Renders what a program wrote to a terminal, as text and as a picture.

    render.py REQUEST

REQUEST is a file with a JSON object: `columns`, `rows`, `theme` (dark or light), `events`, and
`picture`, the path of a PNG file, which may be missing. An event has `text`, the bytes in base64, or `columns`
and `rows`, a new size of the window.

Prints a JSON object: `lines`, the text of the window without spaces at the ends of lines, and
`cursor`, its line and column, from 1.
"""

import base64
import json
import sys

import pyte
from PIL import Image, ImageDraw, ImageFont

CELL = (6, 12)
ALTERNATE = 1049 << 5
THEMES = {"dark": {"fg": (0xDD,) * 3, "bg": (0x11,) * 3}, "light": {"fg": (0x22,) * 3, "bg": (0xEE,) * 3}}
# The colours of the Linux console. White is the grey of terminals with eight colours.
COLOURS = {"black": (0, 0, 0), "white": (0xAA, 0xAA, 0xAA)}


class Screen(pyte.Screen):
    """A screen with an alternate one, which pyte does not have."""

    def __init__(self, columns, rows):
        self.kept = None
        super().__init__(columns, rows)

    def set_mode(self, *modes, **arguments):
        super().set_mode(*modes, **arguments)
        if arguments.get("private") and 1049 in modes and self.kept is None:
            lines = {row: dict(line) for row, line in self.buffer.items()}
            self.kept = (lines, self.cursor.x, self.cursor.y)
            self.erase_in_display(2)

    def reset_mode(self, *modes, **arguments):
        super().reset_mode(*modes, **arguments)
        if arguments.get("private") and 1049 in modes and self.kept is not None:
            lines, x, y = self.kept
            self.kept = None
            self.erase_in_display(2)
            for row, line in lines.items():
                if row < self.lines:
                    for column, cell in line.items():
                        if column < self.columns:
                            self.buffer[row][column] = cell
            self.cursor.x, self.cursor.y = min(x, self.columns - 1), min(y, self.lines - 1)


def colour(name, kind, theme):
    if name == "default":
        return THEMES[theme][kind]
    return COLOURS[name]


def picture(screen, theme):
    width, height = CELL
    margin = 2
    size = ((screen.columns + 2 * margin) * width, (screen.lines + 2 * margin) * height)
    image = Image.new("RGB", size, THEMES[theme]["bg"])
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default()
    for row in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            ink, paper = colour(cell.fg, "fg", theme), colour(cell.bg, "bg", theme)
            if cell.reverse:
                ink, paper = paper, ink
            left, top = (column + margin) * width, (row + margin) * height
            middle = height // 2
            draw.rectangle((left, top, left + width - 1, top + height - 1), fill=paper)
            upper = (left, top, left + width - 1, top + middle - 1)
            lower = (left, top + middle, left + width - 1, top + height - 1)
            if cell.data in "\u2580\u2588" and cell.data:
                draw.rectangle(upper, fill=ink)
            if cell.data in "\u2584\u2588" and cell.data:
                draw.rectangle(lower, fill=ink)
            if cell.data.strip() and cell.data not in "\u2580\u2584\u2588":
                if cell.data.isascii():
                    draw.text((left, top), cell.data, fill=ink, font=font)
                else:
                    draw.rectangle((left + 1, top + 3, left + width - 2, top + height - 4), outline=ink)
    return image


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    screen = Screen(request["columns"], request["rows"])
    stream = pyte.ByteStream(screen)
    for event in request["events"]:
        if "text" in event:
            stream.feed(base64.b64decode(event["text"]))
        else:
            screen.resize(event["rows"], event["columns"])
    if request.get("picture"):
        picture(screen, request["theme"]).save(request.get("picture"))
    lines = [line.rstrip() for line in screen.display]
    print(json.dumps({"lines": lines, "cursor": [screen.cursor.y + 1, screen.cursor.x + 1]}))


main()
