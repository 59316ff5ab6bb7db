import { assertNoForbiddenText, containsCredential } from '@paymount/core/access';
import {
  ClaimedError,
  type IdempotencyRecord,
  type IdempotencyRepository,
  openSealedResponse,
  toStoredErrorResponse,
  toStoredResponse,
} from '@paymount/core/changes';
import {
  type Clock,
  type IdempotencyClaim,
  type OperationId,
  type Owner,
  PaymountError,
  type RequestId,
  type Sealer,
} from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';
import { fingerprintRequest } from './fingerprint.ts';
import type { TextRules } from './forbidden-texts.ts';
import { asPaymountError, isKept, renderError } from './render-error.ts';
import { type TextResponse, toReplayedResponse } from './render-response.ts';

/**
 * The longest time until a missing answer of a processor counts as an unknown outcome, and a
 * margin.
 */
const LOCK_MS = 60_000;
/** The first try may lose to another request that finishes it; then the bytes are final. */
const MAX_FINISHES = 3;
const HEADER = 'Idempotency-Key';
const KEY = /^[\x20-\x7e]{1,255}$/;

export interface IdempotencyPorts {
  readonly idempotency: IdempotencyRepository;
  /**
   * Finishes a request that a crashed process left open. Absent in a transaction of the host: a key
   * that is taken over there would be locked while its answer is written.
   */
  readonly resolver?: { resume(owner: Owner, id: OperationId): Promise<void> };
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** The secret of the fingerprints; 32 random bytes, the same in every process. */
  readonly fingerprintKey: { reveal(): Uint8Array };
}

/** A request that carries an `Idempotency-Key`, after validation. */
export interface KeyedRequest {
  /** The owner of these keys. */
  readonly owner: Owner;
  /** The caller's credential: only it may replay an answer that contains a secret. */
  readonly credential: string;
  readonly requestId: RequestId;
  /** As `readIdempotencyKey` returned it, possibly with a text that separates callers. */
  readonly key: string;
  /**
   * Under which a process of an earlier version stored it. Such a row, which names no credential,
   * answers the same request.
   */
  readonly earlierKey?: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: unknown;
  /**
   * Executes; its result is the resource for the answer. @throws ClaimedError if it lost the key
   */
  readonly execute: (claim: IdempotencyClaim) => Promise<object>;
  /** Makes the answer from the resource: expands ids, for example, if that was not done yet. */
  readonly finish?: (resource: object) => Promise<object>;
}

/**
 * Reads the `Idempotency-Key` header; quotes around it are removed.
 * @param cards whether card numbers are refused: in live, and from admins
 * @throws PaymountError `idempotency_key_invalid`, `raw_card_data_not_allowed`
 */
export function readIdempotencyKey(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  { cards }: Pick<TextRules, 'cards'>,
): string | undefined {
  const values = headers['idempotency-key'];
  if (values === undefined) return undefined;
  if (values.length > 1) throw new PaymountError('idempotency_key_invalid');
  return validateIdempotencyKey((values[0] ?? '').replace(/^"(.*)"$/, '$1'), { cards });
}

/**
 * The key itself, which is stored as it was sent.
 * @param cards whether card numbers are refused: in live, and from admins
 * @throws PaymountError `idempotency_key_invalid`, `raw_card_data_not_allowed`
 */
export function validateIdempotencyKey(key: unknown, { cards }: Pick<TextRules, 'cards'>): string {
  if (typeof key !== 'string' || !KEY.test(key) || containsSecret(key))
    throw new PaymountError('idempotency_key_invalid');
  assertNoForbiddenText(key, { param: HEADER, cards });
  return key;
}

/** No UUID contains a credential. */
function containsSecret(key: string): boolean {
  return containsCredential(key) || key.includes('whsec_');
}

/**
 * Executes a request at most once per key, account and environment.
 * The row is read first, which serves the replays; the service inserts it within its own change,
 * so that claim and work commit together, and throws `ClaimedError` when another was first.
 */
export class Idempotent {
  readonly #ports: IdempotencyPorts;

  constructor(ports: IdempotencyPorts) {
    this.#ports = ports;
  }

  /**
   * @throws PaymountError `idempotency_key_mismatch`, `idempotency_key_in_use`,
   *   `idempotency_credential_mismatch`, and execution's
   */
  async respond(request: KeyedRequest): Promise<TextResponse> {
    const claim = this.#toClaim(request);
    const earlier = await this.#ports.idempotency.find(claim, claim.key);
    if (earlier !== undefined) return this.#resume(earlier, claim, request);
    const former = await this.#findFormer(claim, request);
    if (former !== undefined) return this.#resume(former.record, former.claim, request);
    let resource: object;
    try {
      resource = await request.execute(claim);
    } catch (error) {
      return this.#afterFailure(error, claim, request);
    }
    const { body } = toStoredResponse(resource);
    return { status: 200, body: await this.#finished(body, claim, request) };
  }

  /**
   * The row of the same request that an earlier version stored. It may be a merchant's: their keys
   * were not separated. But executing a request again could move money twice.
   */
  async #findFormer(
    claim: IdempotencyClaim,
    { earlierKey }: KeyedRequest,
  ): Promise<{ readonly record: IdempotencyRecord; readonly claim: IdempotencyClaim } | undefined> {
    if (earlierKey === undefined) return undefined;
    const record = await this.#ports.idempotency.find(claim, earlierKey);
    const isSame = record?.credential === undefined && record?.fingerprint === claim.fingerprint;
    return record && isSame ? { record, claim: { ...claim, key: earlierKey } } : undefined;
  }

  /**
   * The service stores its answer unfinished, with its change. The first to finish it, this request
   * or a replay, determines its bytes, and all others send the same. An answer that finishing leaves
   * as it is, because it would become too large, is tried again by each replay.
   */
  async #finished(
    body: string,
    claim: IdempotencyClaim,
    { finish }: KeyedRequest,
  ): Promise<string> {
    if (finish === undefined) return body;
    let seen = body;
    for (let tries = 0; tries < MAX_FINISHES; tries += 1) {
      const resource: unknown = JSON.parse(seen);
      const next = isTree(resource) ? JSON.stringify(await finish(resource)) : seen;
      if (next === seen) return seen;
      if (await this.#ports.idempotency.amend(claim, claim.key, { seen, next })) return next;
      const stored = await this.#ports.idempotency.find(claim, claim.key);
      if (stored?.state !== 'done' || stored.response.status !== 200) return next;
      seen = stored.response.body;
    }
    throw inUse();
  }

  #toClaim(request: KeyedRequest): IdempotencyClaim {
    const created = this.#ports.clock.now();
    return {
      accountId: request.owner.accountId,
      environment: request.owner.environment,
      key: request.key,
      credential: request.credential,
      fingerprint: fingerprintRequest(this.#ports.fingerprintKey.reveal(), request),
      requestId: request.requestId,
      created,
      lockedUntil: new Date(created.getTime() + LOCK_MS),
    };
  }

  async #afterFailure(
    error: unknown,
    claim: IdempotencyClaim,
    request: KeyedRequest,
  ): Promise<TextResponse> {
    if (!ClaimedError.is(error)) {
      const known = asPaymountError(error);
      if (!isKept(known)) throw (await this.#keepsFailure(known, claim)) ? known.kept() : error;
      const stored = await this.#ports.idempotency.record(
        claim,
        toStoredErrorResponse(known, claim.requestId),
      );
      if (stored) return renderError(known, claim.requestId);
    }
    // The key has a row: of this request (the service stored it), or of another that was first.
    const record = await this.#ports.idempotency.find(claim, claim.key);
    if (record === undefined) throw inUse();
    if (record.requestId === claim.requestId && !ClaimedError.is(error)) throw error;
    return this.#resume(record, claim, request);
  }

  /** Whether the service stored a failure of the processor as the answer to this key. */
  async #keepsFailure({ code }: PaymountError, claim: IdempotencyClaim): Promise<boolean> {
    if (code !== 'processor_error') return false;
    const record = await this.#ports.idempotency.find(claim, claim.key).catch(() => undefined);
    return record?.state === 'done' && record.requestId === claim.requestId;
  }

  async #resume(
    record: IdempotencyRecord,
    claim: IdempotencyClaim,
    request: KeyedRequest,
  ): Promise<TextResponse> {
    if (record.fingerprint !== claim.fingerprint)
      throw new PaymountError('idempotency_key_mismatch');
    if (record.state === 'done') return this.#replay(record, claim, request);
    const { resolver } = this.#ports;
    if (record.lockedUntil > claim.created || record.operationId === undefined) throw inUse();
    if (resolver === undefined) throw inUse();
    if (!(await this.#ports.idempotency.takeOver(claim, record.lockedUntil))) throw inUse();
    await resolver.resume(claim, record.operationId);
    const resumed = await this.#ports.idempotency.find(claim, claim.key);
    if (resumed?.state !== 'done') throw inUse();
    return this.#replay(resumed, claim, request);
  }

  async #replay(
    { response, requestId }: IdempotencyRecord & { readonly state: 'done' },
    claim: IdempotencyClaim,
    request: KeyedRequest,
  ): Promise<TextResponse> {
    if (response.kid === undefined) {
      if (response.status !== 200) return toReplayedResponse(response, requestId);
      const body = await this.#finished(response.body, claim, request);
      return toReplayedResponse({ ...response, body }, requestId);
    }
    return toReplayedResponse(
      await openSealedResponse(this.#ports.sealer, claim, response),
      requestId,
    );
  }
}

function inUse(): PaymountError {
  return new PaymountError('idempotency_key_in_use');
}
