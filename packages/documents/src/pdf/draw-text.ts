import type PDFDocument from 'pdfkit';
import { hasRightToLeft, type Run, visualRuns } from './right-to-left.ts';

type Pdf = InstanceType<typeof PDFDocument>;

/** Where a text is drawn: in points. */
export interface TextBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** @defaultValue left */
  readonly align?: 'left' | 'right';
}

/**
 * Draws a text in the current font, in lines no longer than its box; what does not fit on the page flows to the next one.
 * pdfkit draws words in the order in which they are written, so lines with letters that are read from right to left
 * are put in order here.
 */
export function drawText(pdf: Pdf, text: string, { x, y, width, align = 'left' }: TextBox): void {
  if (!hasRightToLeft(text)) {
    pdf.text(text, x, y, { width, align });
    return;
  }
  const height = pdf.currentLineHeight(true);
  let top = y;
  for (const line of linesOf(pdf, text, width)) {
    if (top + height > pdf.page.maxY()) {
      pdf.addPage();
      top = pdf.y;
    }
    const runs = visualRuns(line);
    const indent = align === 'right' ? width - sum(runs.map((run) => widthOf(pdf, run))) : 0;
    drawRuns(pdf, runs, { x: x + indent, y: top });
    top += height;
  }
  pdf.y = top;
}

/** How high a text is that is drawn in lines of a width, in points. */
export function heightOfText(pdf: Pdf, text: string, width: number): number {
  if (!hasRightToLeft(text)) return pdf.heightOfString(text, { width });
  return linesOf(pdf, text, width).length * pdf.currentLineHeight(true);
}

function drawRuns(
  pdf: Pdf,
  runs: readonly Run[],
  { x, y }: { readonly x: number; readonly y: number },
): void {
  let left = x;
  for (const run of runs) {
    pdf.text(toShaped(run), left, y, { lineBreak: false, features: [] });
    left += widthOf(pdf, run);
  }
}

function widthOf(pdf: Pdf, run: Run): number {
  return pdf.widthOfString(toShaped(run), { features: [] });
}

/**
 * With a list of features, also an empty one, a run is shaped as a whole, and its glyphs are reversed if its letters
 * are read from right to left. A run without such letters is reversed here.
 */
function toShaped({ text, isRightToLeft }: Run): string {
  return isRightToLeft && !hasRightToLeft(text) ? [...text].reverse().join('') : text;
}

/** The lines of a text, as they are written: as many words as fit, and parts of longer ones. */
function linesOf(pdf: Pdf, text: string, width: number): readonly string[] {
  const fits = (line: string): boolean =>
    sum(visualRuns(line).map((run) => widthOf(pdf, run))) <= width;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ').flatMap((each) => partsOf(pdf, each, width))) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line === '' || fits(longer)) line = longer;
      else {
        lines.push(line);
        line = word;
      }
    }
    lines.push(line);
  }
  return lines;
}

/** The parts of a word, by the widths of its characters alone: so its length hardly matters. */
function partsOf(pdf: Pdf, word: string, width: number): readonly string[] {
  const parts: string[] = [''];
  let wide = 0;
  for (const character of word) {
    const more = pdf.widthOfString(character);
    const isFull = wide + more > width;
    wide = isFull ? more : wide + more;
    if (isFull) parts.push(character);
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
