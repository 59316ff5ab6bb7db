import { livemode } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { type DisputeJson, NO_EVIDENCE } from '../../payments/disputes/dispute-resource.ts';
import type { CatalogueOf } from './catalogue-entry.ts';
import { days, type FixtureFacts } from './fixture.ts';

/** The time that a merchant has to respond, by Visa's rules. */
const ANSWER_DAYS = 20;
/** How long ago a closed dispute was opened. */
const RULED_AFTER_DAYS = 30;

/** The events of disputes; each fixture is a dispute in the state that it has at its event. */
export const DISPUTE_EVENTS: CatalogueOf<'dispute', DisputeJson> = {
  'dispute.created': {
    meaning: 'A chargeback was filed or opened again; the response deadline starts here',
    fixture: (facts) => debited(opened(facts, facts.at)),
  },
  'dispute.alert': {
    meaning: 'A pre-dispute alert arrived; refunding avoids the chargeback',
    fixture: (facts) => ({
      ...opened(facts, facts.at),
      status: 'warning_needs_response',
      is_charge_refundable: true,
    }),
  },
  'dispute.won': {
    meaning: "The issuer ruled in the merchant's favour on representment",
    fixture: (facts) => ({ ...adjusted(ruled(facts), facts.amount, facts.at), status: 'won' }),
  },
  'dispute.lost': {
    meaning: 'The issuer ruled against the merchant on representment',
    fixture: (facts) => ({ ...ruled(facts), status: 'lost' }),
  },
};

function opened({ owner, amount, currency }: FixtureFacts, created: Date): DisputeJson {
  return {
    id: newId('dp'),
    object: 'dispute',
    livemode: livemode(owner.environment),
    created: created.toISOString(),
    metadata: {},
    charge: newId('ch'),
    amount,
    currency,
    status: 'needs_response',
    reason: 'fraudulent',
    network_reason_code: '10.4',
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: days(created, ANSWER_DAYS).toISOString(),
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    balance_transactions: [],
    closed_reason: null,
    round: 1,
  };
}

/** Answered in time, and decided since. */
function ruled(facts: FixtureFacts): DisputeJson {
  const dispute = debited(opened(facts, days(facts.at, -RULED_AFTER_DAYS)));
  return {
    ...dispute,
    evidence: { ...NO_EVIDENCE, uncategorized_text: 'The cardholder signed for the order.' },
    evidence_details: { ...dispute.evidence_details, has_evidence: true, submission_count: 1 },
    closed_reason: 'ruling',
  };
}

/** Opening a dispute withdraws the money. */
function debited(dispute: DisputeJson): DisputeJson {
  return adjusted(dispute, -dispute.amount, new Date(dispute.created));
}

function adjusted(dispute: DisputeJson, amount: number, at: Date): DisputeJson {
  const adjustment: DisputeJson['balance_transactions'][number] = {
    id: newId('txn'),
    object: 'balance_transaction',
    livemode: dispute.livemode,
    created: at.toISOString(),
    amount,
    fee: 0,
    net: amount,
    fee_details: [],
    currency: dispute.currency,
    type: 'adjustment',
    source: dispute.id,
    status: 'available',
    available_on: at.toISOString(),
  };
  return { ...dispute, balance_transactions: [...dispute.balance_transactions, adjustment] };
}
