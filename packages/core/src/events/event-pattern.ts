import { z } from 'zod';
import { inWords } from '../shared/words.ts';
import { EVENT_PATTERNS, EVENT_TYPES, type EventPattern } from './catalogue.ts';

const KNOWN: readonly string[] = [...EVENT_TYPES, ...EVENT_PATTERNS];
const MAX_ENTRIES = 50;
const TYPE_SHAPE = /^[a-z_.*-]{1,40}$/i;

/** `enabled_events`: catalogue types, families such as `charge.*`, or `*`. */
export const EnabledEventsInput = z
  .array(
    inWords(
      z.string().check((context) => {
        if (isEventPattern(context.value)) return;
        context.issues.push({
          code: 'custom',
          input: context.value,
          params: { code: 'event_type_unknown' },
          message: `There is no event type ${shown(context.value)}; did you mean ${nearest(context.value)}?`,
        });
      }),
      'an event type, a family such as charge.*, or *',
    ),
  )
  .min(1)
  .max(MAX_ENTRIES)
  .transform((entries) => [...new Set(entries)].filter(isEventPattern))
  .meta({
    description: 'Event types, families such as `charge.*`, or `*`.',
    example: ['charge.*'],
  });

/** Whether a text is a type of the catalogue or one of its patterns. */
export function isEventPattern(text: string): text is EventPattern {
  return KNOWN.includes(text);
}

/** The entry of the catalogue that takes the fewest edits to reach. */
function nearest(text: string): string {
  const bounded = text.slice(0, 64);
  let best = { pattern: '*', distance: Number.POSITIVE_INFINITY };
  for (const pattern of KNOWN) {
    const distance = editDistance(bounded, pattern);
    if (distance < best.distance) best = { pattern, distance };
  }
  return best.pattern;
}

/** What could be a type with a typo; a key that was sent in its place is not echoed. */
function shown(text: string): string {
  return TYPE_SHAPE.test(text) ? `"${text}"` : 'of that name';
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
