// Events on demand, for the test environment.
// Start at `trigger-service.ts`.

export { TriggerInput } from './trigger-input.ts';
export { TriggerService } from './trigger-service.ts';
export type { ValidateParameters } from './triggered-object.ts';
