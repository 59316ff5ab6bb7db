import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A page that people read. */
export interface Page {
  /** From the top of the repository. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
}

/** A fenced block. */
export interface CodeBlock {
  /** Line of its fence, from 1. */
  readonly line: number;
  /** `ts`, `sh`, `json`; empty for drawings. */
  readonly language: string;
  /** What follows the language: `run`. */
  readonly marks: readonly string[];
  readonly code: string;
}

/** Every page of the repository: those of the top, of the packages, and all of `docs/`. */
export function readPages(): readonly Page[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const packages = readdirSync(`${ROOT}packages`).map((name) => `packages/${name}/README.md`);
  return [...top, ...packages, ...docs].sort().map(readPage);
}

/** One page, by its path from the top. */
export function readPage(file: string): Page {
  const text = readFileSync(ROOT + file, 'utf8');
  return { file, text, blocks: parseBlocks(text) };
}

/** The text without its fenced blocks, where names and links count. */
export function toProse({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The names that headings can be linked by, as GitHub makes them. */
export function listAnchors(page: Page): readonly string[] {
  return [...toProse(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

function parseBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { line: number; language: string; marks: string[]; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence && open) {
      const { lines, ...rest } = open;
      blocks.push({ ...rest, code: `${lines.join('\n')}\n` });
      open = undefined;
    } else if (fence) {
      const [language = '', ...marks] = (fence[1] ?? '').split(/\s+/);
      open = { line: index + 1, language, marks, lines: [] };
    } else open?.lines.push(line);
  }
  if (open) throw new Error(`The fence of line ${open.line} is never closed.`);
  return blocks;
}
