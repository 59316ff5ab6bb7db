// Deleting the data of events at the request of an admin: the request, and the steps that workers do.
// It knows neither endpoints nor deliveries; storage does. Start at `expunge-request.ts`.

export { type AdvanceExpungesPorts, advanceExpunges } from './advance-expunges.ts';
export { ExpungeCreateInput } from './expunge-input.ts';
export type {
  ExpungeBatch,
  ExpungeDirectory,
  ExpungedBatch,
  ExpungeQueue,
  ExpungeRepository,
} from './expunge-repository.ts';
export {
  EXPUNGE_STATUSES,
  type ExpungePosition,
  type ExpungeRequest,
  type ExpungeRequestId,
  type ExpungeSelection,
  type OpenExpungeRequest,
} from './expunge-request.ts';
export { ExpungeRequestResource, toExpungeRequestResource } from './expunge-resource.ts';
export { ExpungeService } from './expunge-service.ts';
