import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

/** The areas in the order of the page. The name of a record begins with its area. */
const AREAS: Readonly<Record<string, string>> = {
  shape: 'Shape and packages',
  api: 'The API',
  storage: 'Storage and transactions',
  money: 'Money and processors',
  billing: 'Billing',
  access: 'Access and secrets',
  events: 'Events and delivery',
  tools: 'Dashboard and command',
  tests: 'Tests and measurement',
};

/** `docs/decisions/README.md`: by area, the question that each record answers. */
export function decisionsPage(): string {
  const names = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  const lost = names.filter((name) => !Object.hasOwn(AREAS, areaOf(name)));
  if (lost.length > 0) throw new Error(`${lost.join(', ')}: the name begins with no area.`);
  const sections = Object.entries(AREAS).map(([area, title]) => {
    const own = names.filter((name) => areaOf(name) === area).sort();
    return `## ${title}\n\n${own.map(toRow).join('\n')}\n`;
  });
  return `<!-- Generated from the records by \`npm run docs\`; do not edit. -->
# Decisions

Why Paymount is built as it is, where something else was possible. Each record answers one question,
names the alternatives, and is true of the code as it is now: a change that makes a record untrue
edits it or deletes it. Earlier texts are in the history of git.

Write a record only for a choice between alternatives that somebody could reopen. The file is named
\`<area>-<decision>.md\`, its title is the question, and it has the parts Context, Decision,
Alternatives and Consequences. Everything else is a comment at the code, or a paragraph of an
[explanation](../README.md#understand-explanations).

${sections.join('\n')}`;
}

function areaOf(name: string): string {
  return name.split('-', 1).join();
}

function toRow(name: string): string {
  const [, question] = /^# (.+\?)$/m.exec(readFileSync(new URL(name, FOLDER), 'utf8')) ?? [];
  if (question === undefined) throw new Error(`${name} does not begin with a question.`);
  return `- [${question}](${name})`;
}
