import { z } from 'zod';
import { MomentInput, name } from '../../kernel/input/input.ts';

/** Times end with the year 9999, and what happens on a clock becomes due weeks or months later. */
const LATEST = Date.UTC(9998, 0);

const FrozenTimeInput = MomentInput.refine((moment) => moment.getTime() < LATEST, {
  error: 'A test clock shows a time before the year 9998.',
});

export const TestClockCreateInput = z
  .strictObject({
    frozen_time: FrozenTimeInput,
    name: name(300).optional(),
  })
  .meta({ id: 'TestClockCreate' });

export const TestClockAdvanceInput = z
  .strictObject({ frozen_time: FrozenTimeInput })
  .meta({ id: 'TestClockAdvance' });

/** The parameter of what may be on a test clock. */
export const TestClockParam = z.string().min(1).max(255).optional().meta({
  description: 'The id of a test clock, whose time it follows. Only in the test environment.',
});

export type TestClockCreate = z.output<typeof TestClockCreateInput>;
export type TestClockAdvance = z.output<typeof TestClockAdvanceInput>;
