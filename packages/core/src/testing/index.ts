// Events on demand, for the test environment.
// Start at `triggers/trigger-service.ts`.

export { TriggerInput } from './triggers/trigger-input.ts';
export { TriggerService } from './triggers/trigger-service.ts';
export type { ValidateParameters } from './triggers/triggered-object.ts';
