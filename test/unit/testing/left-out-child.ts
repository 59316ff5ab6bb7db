import * as nodeTest from 'node:test';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { describeProcessor } from '@paymount/testing';
import { fakeClock } from '../../support/clock.ts';
import { sharedMemory } from '../../support/operation-memory.ts';

/** A test file of node's own runner, with no card but the two that are required. */
const memory = sharedMemory();
describeProcessor(
  () => new SandboxProcessor({ memory, clock: fakeClock() }),
  {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
  },
  nodeTest,
);
