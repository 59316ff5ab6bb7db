import { z } from 'zod';
import { MomentInput, name } from '../../kernel/input/input.ts';

export const TestClockCreateInput = z
  .strictObject({
    frozen_time: MomentInput,
    name: name(300).optional(),
  })
  .meta({ id: 'TestClockCreate' });

export const TestClockAdvanceInput = z
  .strictObject({ frozen_time: MomentInput })
  .meta({ id: 'TestClockAdvance' });

/** The parameter of what may be on a test clock. */
export const TestClockParam = z.string().min(1).max(255).optional().meta({
  description: 'The id of a test clock, whose time it follows. Only in the test environment.',
});

export type TestClockCreate = z.output<typeof TestClockCreateInput>;
export type TestClockAdvance = z.output<typeof TestClockAdvanceInput>;
