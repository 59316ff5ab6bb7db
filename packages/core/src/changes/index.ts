// What one commit records besides rows: events, audit entries, e-mails, answers to idempotency
// keys.
// It imports the kernel. Start at `change.ts`.

export type { LockWaits } from './area-storage.ts';
export {
  AUDIT_ACTIONS,
  type AuditEntry,
  type AuditFault,
  type AuditHead,
  type AuditRecord,
  type AuditVerdict,
  type UnchainedEntry,
} from './audit/audit.ts';
export { auditHash, CHAIN_START, chainEntry, pendingEntry } from './audit/audit-chain.ts';
export type { AuditDirectory, AuditFilter } from './audit/audit-repository.ts';
export { type AuditJson, AuditResource, toAuditResource } from './audit/audit-resource.ts';
export {
  AccessChangedError,
  type ChangeResult,
  ClaimedError,
  HookError,
} from './change.ts';
export type { ChangeRepository } from './change-repository.ts';
export { type ApiVersion, CURRENT_API_VERSION, isStripeVersion } from './events/api-version.ts';
export type { Event, ExpungedEvent, StoredEvent } from './events/event.ts';
export { EnabledEventsInput, EventTypeInput } from './events/event-pattern.ts';
export type {
  EventDirectory,
  EventFilter,
  EventPosition,
  EventQueue,
  EventReader,
} from './events/event-repository.ts';
export {
  buildEvent,
  EventResource,
  ExpungedEventResource,
  toEventResource,
} from './events/event-resource.ts';
export { mayReadEvent } from './events/event-scopes.ts';
export {
  EVENT_PATTERNS,
  EVENT_TYPES,
  type EventFamily,
  type EventPattern,
  type EventType,
  eventFamily,
  patternsFor,
} from './events/event-types.ts';
export { HookLog } from './hook-log.ts';
export type { IdempotencyRecord, StoredResponse } from './idempotency/idempotency.ts';
export type { IdempotencyRepository } from './idempotency/idempotency-repository.ts';
export { openSealedResponse, sealResponse } from './idempotency/sealed-response.ts';
export {
  DOC_URL,
  errorIn,
  storedResponseContext,
  toStoredErrorResponse,
  toStoredResponse,
} from './idempotency/stored-response.ts';
export type { Mail, Mailer, MailLink, WrittenMail } from './mails/mail.ts';
export type { ClaimedMail, MailQueue } from './mails/mail-repository.ts';
export { sendMails } from './mails/send-mails.ts';
