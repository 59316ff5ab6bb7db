import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { nearest } from '../../kernel/errors/nearest.ts';

import { EVENT_PATTERNS, EVENT_TYPES, type EventPattern } from './event-types.ts';

const KNOWN: readonly [string, ...string[]] = [...EVENT_TYPES, ...EVENT_PATTERNS];
const MAX_ENTRIES = 50;
const TYPE_SHAPE = /^[a-z_.*-]{1,40}$/i;

/** A type of the catalogue. */
export const EventTypeInput = z.enum(EVENT_TYPES).meta({ id: 'EventType' });

/** `enabled_events`: catalogue types, families such as `charge.*`, or `*`. */
export const EnabledEventsInput = z
  .array(
    withErrorHint(
      z
        .string()
        .check((context) => {
          if (isEventPattern(context.value)) return;
          context.issues.push({
            code: 'custom',
            input: context.value,
            params: { code: 'event_type_unknown' },
            message: unknownMessage(context.value),
          });
        })
        .meta({ id: 'EventPattern', override: { enum: [...KNOWN] } }),
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
function isEventPattern(text: string): text is EventPattern {
  return KNOWN.includes(text);
}

function unknownMessage(text: string): string {
  return text.startsWith('evt_')
    ? 'An event type is a text such as charge.succeeded, not the id of an event.'
    : `There is no event type ${shown(text)}; did you mean ${nearest(text, KNOWN)}?`;
}

/** A text that could be a misspelled type; a key that was sent in its place is not repeated. */
function shown(text: string): string {
  return TYPE_SHAPE.test(text) ? `"${text}"` : 'of that name';
}
