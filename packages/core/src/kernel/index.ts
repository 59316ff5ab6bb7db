// The words that every area shares: errors, ids, times, callers, input, secrets.
// It imports no other area. Start at `errors/paymount-error.ts`.

export { bankingDaysLater, isBankingDay } from './basics/banking-days.ts';
export type { Clock } from './basics/clock.ts';
export { type CrashPoint, noCrashPoint } from './basics/crash-point.ts';
export {
  ENVIRONMENTS,
  type Environment,
  environmentOf,
  livemode,
  type Owner,
} from './basics/environment.ts';
export { ExpiringMap } from './basics/expiring-map.ts';
export type * from './basics/id.ts';
export { firstIdAt, newId, parseId } from './basics/id.ts';
export type { LogFacts, Logger } from './basics/logger.ts';
export { TimestampResource } from './basics/resource.ts';
export { Slots } from './basics/slots.ts';
export { untilAborted } from './basics/until-aborted.ts';
export { withTimeout } from './basics/with-timeout.ts';
export {
  type AdminListFilter,
  type AdminScope,
  isAccountInAdminScope,
  isInAdminScope,
} from './callers/admin-scope.ts';
export { type AuditContext, MAX_USER_AGENT } from './callers/audit-context.ts';
export { credentialIdOf } from './callers/call.ts';
export { CallerInput } from './callers/caller-input.ts';
export type { Maker } from './callers/maker.ts';
export type { Call, CredentialSnapshot, IdempotencyClaim, Principal } from './callers/principal.ts';
export { credentialNoun, hasScope, requireScope } from './callers/require-scope.ts';
export { SCOPES, type Scope } from './callers/scope.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorType,
  errorFacts,
  isErrorCode,
} from './errors/error-codes.ts';
export { findErrorHint, withErrorHint } from './errors/error-hints.ts';
export { isError } from './errors/is-error.ts';
export { findOrThrow, missing } from './errors/missing.ts';
export { PaymountError } from './errors/paymount-error.ts';
export { SchemaError } from './errors/schema-error.ts';
export { errorMessage, readProperty, readTextProperty } from './errors/thrown.ts';
export { toError } from './errors/to-error.ts';
export { isCountry } from './input/country.ts';
export { describeMoney } from './input/currency.ts';
export {
  CurrencyInput,
  EmailInput,
  IsoInput,
  MomentInput,
  SecondsInput,
  shownAsTime,
} from './input/input.ts';
export {
  type AllOptions,
  ANY_OPTION,
  assertOptions,
  type KnownOptions,
  type OptionRule,
} from './input/known-options.ts';
export { hasLeadingZero } from './input/leading-zero.ts';
export { toOneLine } from './input/one-line.ts';
export {
  arrayOption,
  booleanOption,
  either,
  enumOption,
  functionOption,
  having,
  integerOption,
  numberOption,
  objectOption,
  stringOption,
} from './input/option-rules.ts';
export type { CreatedFilter, Page, PageRequest } from './input/page.ts';
export type { Params } from './input/params.ts';
export { requireOneOf } from './input/require-one-of.ts';
export { redactCardNumbers } from './secrets/card-number-text.ts';
export {
  hasCredentialPrefix,
  hasCredentialShape,
  redactCredentialText,
} from './secrets/credential-text.ts';
export type {
  Resealed,
  SealedCount,
  SealedRow,
  SealedRowRepository,
  SealedTable,
} from './secrets/sealed-row-repository.ts';
export { MisplacedSecretError, type Sealer } from './secrets/sealer.ts';
export { Secret } from './secrets/secret.ts';
export { isSecretHeader } from './secrets/secret-headers.ts';
export { loggableText, REDACTED, redactSecrets } from './secrets/secret-text.ts';
export {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  METRICS,
} from './telemetry/metrics.ts';
export {
  type GaugeReader,
  noTelemetry,
  type Sample,
  type SpanFacts,
  type Telemetry,
} from './telemetry/telemetry.ts';
export { fill } from './texts/fill.ts';
export {
  chooseLanguage,
  createLanguages,
  findLanguage,
  type Language,
  type Languages,
  type TextOverrides,
} from './texts/languages.ts';
