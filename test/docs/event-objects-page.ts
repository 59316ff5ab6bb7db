import { EVENT_TYPES, type EventFamily, type EventType, eventFamily } from '@paymount/core/changes';
import {
  generateObject,
  triggeredObject,
  type ValidateParameters,
} from '../../packages/core/src/triggers/triggered-object.ts';

const AT = new Date('2026-11-21T09:30:00.000Z');
const ID = /([a-z]+)_[0-9a-z]{26}\b/g;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** `docs/reference/event-objects.md`: what a triggered event of each type tells of. */
export function eventObjectsPage(): string {
  const families = [...new Set(EVENT_TYPES.map(eventFamily))];
  return [INTRODUCTION, ...families.map(renderSection)].join('\n');
}

const INTRODUCTION = `<!-- Generated from the objects of triggered events by \`npm run docs\`; do not edit. -->
# Objects of events

The content of \`data.object\` of events, for events that were
[triggered](../how-to/trigger-a-test-event.md), on 2026-11-21 at 09:30 UTC, for an account whose currency is
the euro. For each family, the page shows the complete object of the first type. For the other types it lists
the fields that differ, except ids and times.
`;

function renderSection(family: EventFamily): string {
  const [first, ...others] = EVENT_TYPES.filter((type) => eventFamily(type) === family);
  if (first === undefined) throw new Error(`${family} has no types.`);
  const shown = buildExample(first);
  const rows = others.map((type) => `| \`${type}\` | ${differences(shown, buildExample(type))} |`);
  return [
    `## ${first}`,
    '',
    '```json',
    JSON.stringify(shown, null, 2),
    '```',
    '',
    '| Type | Fields that differ |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** With ids that are the same each time. */
function buildExample(type: EventType): object {
  const owner = { accountId: 'acct_1' as never, environment: 'test' } as const;
  const object = generateObject(type, { owner, at: AT, currency: 'eur' }, {});
  const validate: ValidateParameters = (schema, parameters) => schema.parse(parameters);
  const triggered = triggeredObject(eventFamily(type), { object, overrides: {} }, validate);
  const numbers = new Map<string, number>();
  const text = JSON.stringify(triggered).replaceAll(ID, (id, prefix: string) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `${prefix}_${String(number).padStart(26, '0')}`;
  });
  return JSON.parse(text);
}

function differences(from: object, to: object): string {
  return [...listLeaves(to)]
    .filter(
      ([path, value]) => describeKind(value) !== describeKind(new Map(listLeaves(from)).get(path)),
    )
    .map(([path, value]) => `\`${path}\`: \`${JSON.stringify(value)}\``)
    .join('; ');
}

function* listLeaves(value: unknown, path = ''): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield [path, Array.isArray(value) ? value.map((each: object) => shortened(each)) : value];
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    yield* listLeaves(member, path === '' ? name : `${path}.${name}`);
  }
}

/** Of what is listed, its amount tells enough. */
function shortened({ amount }: { readonly amount?: number }): object {
  return amount === undefined ? {} : { amount };
}

function describeKind(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'absent';
  return TIME.test(value) ? 'time' : value.replaceAll(ID, '$1');
}
