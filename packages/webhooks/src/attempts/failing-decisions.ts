import { decideOnFailing, type FailingEndpoint, type FailingVerdict } from '@paymount/core/events';
import type { CrashPoint, EndpointId, Logger } from '@paymount/core/kernel';

/** When failing endpoints are disabled. */
export interface DisablingRules {
  /** Gets mails to accounts without a valid address. @defaultValue nobody */
  readonly operator?: string;
  /** Whether one answer of 410 disables an endpoint. */
  readonly onGone: boolean;
}

export interface FailingDecisionsPorts {
  readonly disabling: DisablingRules;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

const SENTENCES: Readonly<Record<FailingVerdict['kind'], string>> = {
  warning: 'An endpoint has failed for more than 24 hours.',
  final_warning: 'An endpoint has failed for more than 60 hours.',
  disabling: 'A failing endpoint was disabled.',
};

const CRASH_POINTS: Readonly<Record<FailingVerdict['kind'], string>> = {
  warning: 'warn.before_commit',
  final_warning: 'warn.before_commit',
  disabling: 'disable.before_commit',
};

/** The decisions on failing endpoints that are committed with one batch of results. */
export class FailingDecisions {
  readonly #ports: FailingDecisionsPorts;
  /** By endpoint, because a transaction that runs again decides again. */
  readonly #verdicts = new Map<EndpointId, FailingVerdict>();

  constructor(ports: FailingDecisionsPorts) {
    this.#ports = ports;
  }

  /** For `DeliveryQueue.close`. */
  decide(failing: FailingEndpoint): FailingVerdict | undefined {
    const { disabling, crashPoint } = this.#ports;
    const verdict = decideOnFailing(failing, disabling.operator);
    if (verdict === undefined) return undefined;
    this.#verdicts.set(failing.endpoint.id, verdict);
    crashPoint(CRASH_POINTS[verdict.kind]);
    return verdict;
  }

  /**
   * Logs those that are committed.
   * @param recorded endpoints of which a failure is recorded
   */
  log(recorded: ReadonlySet<EndpointId>): void {
    const { logger } = this.#ports;
    for (const [endpoint, { kind, isUnmailable, isUnwarned }] of this.#verdicts) {
      if (!recorded.has(endpoint)) continue;
      const facts = { endpoint };
      logger.warn(facts, SENTENCES[kind]);
      if (isUnmailable) {
        const sentence = 'No mail about a failing endpoint can be sent: there is no valid address.';
        logger.error(facts, sentence);
      }
      if (isUnwarned) {
        logger.error(facts, 'An endpoint was disabled although its warning could not be sent.');
      }
    }
  }
}
