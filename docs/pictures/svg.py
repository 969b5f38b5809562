"""Read a terminal session from standard input and write it as an SVG picture."""
import sys
from xml.sax.saxutils import escape

CHAR, LINE, PAD, BAR = 8.4, 20, 20, 36
COLOURS = {"$": "#e6edf3", "#": "#7ee787"}


def draw(lines):
    width = round(max(map(len, lines)) * CHAR + 2 * PAD)
    height = len(lines) * LINE + 2 * PAD + BAR
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">')
    yield "<title>A terminal session: two assistants share a memory</title>"
    yield f'<rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>'
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{PAD + 6 + 20 * i}" cy="22" r="6" fill="{colour}"/>'
    for i, line in enumerate(lines):
        if not line:
            continue
        y = BAR + PAD + i * LINE
        bold = ' font-weight="bold"' if line.startswith("$") else ""
        # textLength keeps the columns, whichever font the reader has.
        yield (f'<text x="{PAD}" y="{y}" textLength="{len(line) * CHAR:.1f}" xml:space="preserve" '
               f'fill="{COLOURS.get(line[0], "#9da7b3")}"{bold}>{escape(line)}</text>')
    yield "</svg>"


print("\n".join(draw([line.rstrip() for line in sys.stdin])))
