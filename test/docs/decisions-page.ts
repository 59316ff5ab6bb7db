import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

/** `docs/decisions/README.md`: the records by number. */
export function decisionsPage(): string {
  const rows = readdirSync(FOLDER)
    .filter((name) => /^\d{4}-/.test(name))
    .sort()
    .map((name) => {
      const heading = /^# (\d+)\. (.+)$/m.exec(readFileSync(new URL(name, FOLDER), 'utf8'));
      if (heading === null) throw new Error(`${name} does not begin with "# <number>. <title>".`);
      return `${heading[1]}. [${heading[2]}](${name})`;
    });
  return `<!-- Generated from the records by \`npm run docs\`; do not edit. -->
# Decisions

Each record says what was found, what was decided and what follows. A record is superseded by a
later one, never edited.

${rows.join('\n')}
`;
}
