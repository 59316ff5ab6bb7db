import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../support/read-pages.ts';

/** The prose of one source file: what a reader of its declarations or of a log sees. */
export interface SourceProse {
  /** From the top of the repository. */
  readonly file: string;
  /** Docstrings, without their stars. */
  readonly docstrings: readonly string[];
  /** Strings of three words or more: messages, log lines, descriptions. */
  readonly messages: readonly string[];
}

const GENERATED_OR_SQL = /\.d\.ts$|\.generated\.ts$|\/migrations\//;
const DOCSTRING = /\/\*\*[\s\S]*?\*\//g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const SENTENCE = /[a-z]+,? [a-z]+,? [a-z]/i;
const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|CREATE|ALTER)\b/;

/** Reads the docstrings and messages of every package. */
export function readSourceProse(): readonly SourceProse[] {
  return readdirSync(`${ROOT}packages`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/]+\/src\/.*\.ts$/.test(name) && !GENERATED_OR_SQL.test(name))
    .sort()
    .map((name) => proseIn(`packages/${name}`));
}

function proseIn(file: string): SourceProse {
  const text = readFileSync(ROOT + file, 'utf8');
  return {
    file,
    docstrings: (text.match(DOCSTRING) ?? []).map((block) =>
      block.replaceAll(/^\s*\/?\*+\/?/gm, ''),
    ),
    messages: (text.replaceAll(COMMENT, '').match(STRING) ?? [])
      .map((string) => string.replaceAll(/\$\{[^}]*\}/g, '...'))
      .filter((string) => SENTENCE.test(string) && !SQL.test(string)),
  };
}
