/** The fields of stored JSON that are times. */
const TIMES: ReadonlySet<string> = new Set([
  'anchor',
  'appliesAt',
  'billedUntil',
  'created',
  'end',
  'endedAt',
  'expiresAt',
  'failedAt',
  'fullStart',
  'givesUpAt',
  'nextAttemptAt',
  'pausedAt',
  'resumesAt',
  'since',
  'start',
]);

/** The same value with times as dates, as it was before it was stored as JSON. Metadata are texts. */
export function withDates<Value>(value: Value): Value {
  return revive(value) as Value;
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === 'metadata') return [name, member];
    const isTime = TIMES.has(name) && typeof member === 'string';
    return [name, isTime ? new Date(member) : revive(member)];
  });
  return Object.fromEntries(entries);
}
