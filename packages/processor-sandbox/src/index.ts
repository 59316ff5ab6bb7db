// @paymount/processor-sandbox: the processor of the test environment, every outcome on demand.
// It moves no money and calls nobody; it may import the core's port and nothing else.
// Start with test-cards.ts (what there is to try), then sandbox-processor.ts (how it answers).
export type { FaultShares } from './faults.ts';
export { type SandboxOptions, SandboxProcessor } from './sandbox-processor.ts';
export { TEST_BANK_ACCOUNTS } from './test-bank-accounts.ts';
export { TEST_CARDS } from './test-cards.ts';
