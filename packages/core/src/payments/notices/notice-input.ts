import { z } from 'zod';
import { reason } from '../../kernel/input/input.ts';

export const NoticeDismissInput = z
  .strictObject({
    reason: reason(500).meta({
      description:
        'The reason: how you know what happened. It is stored with the notice and in the audit log.',
    }),
  })
  .meta({ id: 'NoticeDismiss' });

export type NoticeDismiss = z.output<typeof NoticeDismissInput>;
