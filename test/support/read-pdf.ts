import { inflateSync } from 'node:zlib';

type Glyphs = ReadonlyMap<string, string>;

/**
 * The texts of a PDF, page by page in the order in which they were drawn, by its own tables from glyphs to
 * characters. It reads the PDFs that our tests make: with a table of objects, and fonts with two bytes a
 * glyph.
 */
export function readPdf(bytes: Buffer): readonly string[] {
  const objects = readObjects(bytes);
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return pages.map(({ head }) => {
    const fonts = fontsOf(objects, find(objects, head, 'Resources').head);
    return textOf(find(objects, head, 'Contents').stream, fonts)
      .replace(/\s+/g, ' ')
      .trim();
  });
}

interface PdfObject {
  readonly head: string;
  /** Inflated. */
  readonly stream: string;
}

function readObjects(bytes: Buffer): ReadonlyMap<string, PdfObject> {
  const text = bytes.toString('latin1');
  const objects = new Map<string, PdfObject>();
  for (const { index, 0: start, 1: id = '' } of text.matchAll(/(\d+) 0 obj\n/g)) {
    const from = index + start.length;
    const whole = text.slice(from, text.indexOf('\nendobj', from));
    const [head = ''] = whole.split('\nstream\n');
    const at = from + head.length + '\nstream\n'.length;
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0);
    const isZipped = head.includes('FlateDecode') && !head.includes('/Image');
    const stream = isZipped ? inflateSync(bytes.subarray(at, at + length)).toString('latin1') : '';
    objects.set(id, { head, stream });
  }
  return objects;
}

function find(objects: ReadonlyMap<string, PdfObject>, head: string, name: string): PdfObject {
  const id = new RegExp(`/${name} (\\d+) 0 R`).exec(head)?.[1] ?? '';
  const found = objects.get(id);
  if (found === undefined) throw new Error(`The PDF has no ${name}: ${head}`);
  return found;
}

function fontsOf(
  objects: ReadonlyMap<string, PdfObject>,
  resources: string,
): ReadonlyMap<string, Glyphs> {
  const fonts = /\/Font <<([^>]*)>>/.exec(resources)?.[1] ?? '';
  return new Map(
    [...fonts.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => {
      const cmap = find(objects, objects.get(id)?.head ?? '', 'ToUnicode').stream;
      return [name, glyphsOf(cmap)];
    }),
  );
}

/** A range of glyphs with the characters of each: `<0000> <00ff> [<0000> <0049> …]`. */
function glyphsOf(cmap: string): Glyphs {
  const glyphs = new Map<string, string>();
  for (const [, first = '', list = ''] of cmap.matchAll(
    /<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi,
  )) {
    list.match(/<[0-9a-f ]*>/gi)?.forEach((code, index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      const units = code.match(/[0-9a-f]{4}/gi) ?? [];
      glyphs.set(glyph, String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))));
    });
  }
  return glyphs;
}

function textOf(stream: string, fonts: ReadonlyMap<string, Glyphs>): string {
  let font: Glyphs = new Map();
  let text = '';
  for (const [, name, shown] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map();
    for (const [, codes = ''] of shown?.matchAll(/<([0-9a-f]+)>/gi) ?? []) {
      text += (codes.match(/.{4}/g) ?? [])
        .map((code) => font.get(code.toLowerCase()) ?? '?')
        .join('');
    }
    if (shown !== undefined) text += ' ';
  }
  return text;
}
