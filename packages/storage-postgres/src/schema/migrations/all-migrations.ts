import { accounts } from './0001-accounts.ts';
import { charges } from './0002-charges.ts';
import { operations } from './0003-operations.ts';
import { ledger } from './0004-ledger.ts';
import { events } from './0005-events.ts';
import { audit } from './0006-audit.ts';
import { keyUsage } from './0007-key-usage.ts';
import { leaks } from './0008-leaks.ts';
import { replays } from './0009-replays.ts';
import { ledgerTail } from './0010-ledger-tail.ts';
import { idempotencyAge } from './0011-idempotency-age.ts';
import { operationReview } from './0012-operation-review.ts';
import { operationsDue } from './0013-operations-due.ts';
import { listIndexes } from './0014-list-indexes.ts';
import { hookUse } from './0015-hook-use.ts';
import { endpointStatus } from './0016-endpoint-status.ts';
import { pendingByTime } from './0017-pending-by-time.ts';
import { deliveryLogIndexes } from './0018-delivery-log-indexes.ts';
import { deliveriesWithoutKeys } from './0019-deliveries-without-keys.ts';
import { endpointLane } from './0020-endpoint-lane.ts';
import { failedReplays } from './0021-failed-replays.ts';
import { attemptIndexes } from './0022-attempt-indexes.ts';
import { deliveryCounts } from './0023-delivery-counts.ts';
import { expungedEvents } from './0024-expunged-events.ts';
import { purges } from './0025-purges.ts';
import { endpointHistory } from './0026-endpoint-history.ts';
import { platforms } from './0027-platforms.ts';
import { grants } from './0028-grants.ts';
import { interactions } from './0029-interactions.ts';
import { leakedGrants } from './0030-leaked-grants.ts';
import { customers } from './0031-customers.ts';
import { attachedMethods } from './0032-attached-methods.ts';
import { methodsByToken } from './0033-methods-by-token.ts';
import { notices } from './0034-notices.ts';
import { sandboxNotices } from './0035-sandbox-notices.ts';
import { operationsWithoutCharge } from './0036-operations-without-charge.ts';
import { payouts } from './0037-payouts.ts';
import { files } from './0038-files.ts';
import { disputes } from './0039-disputes.ts';
import { noticesWaitForTheHook } from './0040-notices-wait-for-the-hook.ts';
import { pastDueDisputes } from './0041-past-due-disputes.ts';
import { alertsOfDisputes } from './0042-alerts-of-disputes.ts';
import { noticesOfAccounts } from './0043-notices-of-accounts.ts';
import { automaticPayouts } from './0044-automatic-payouts.ts';
import { settlements } from './0045-settlements.ts';
import { bankDebits } from './0046-bank-debits.ts';
import { usedFiles } from './0047-used-files.ts';
import { testClocks } from './0048-test-clocks.ts';
import { offSession } from './0049-off-session.ts';
import { operationsOfCaptures } from './0050-operations-of-captures.ts';
import { promisedOutcomes } from './0051-promised-outcomes.ts';
import { waitsOfTestClocks } from './0052-waits-of-test-clocks.ts';
import { stoppedPayouts } from './0053-stopped-payouts.ts';
import { waitingPayouts } from './0054-waiting-payouts.ts';
import { operationsOnClocks } from './0055-operations-on-clocks.ts';
import { indexesOfPasses } from './0056-indexes-of-passes.ts';
import { namesOfHolders } from './0057-names-of-holders.ts';
import { promisesOfDeletedClocks } from './0058-promises-of-deleted-clocks.ts';
import { tokensOfHolders } from './0059-tokens-of-holders.ts';
import { correctablePaymentMethods } from './0060-correctable-payment-methods.ts';
import { forgottenPaymentMethods } from './0061-forgotten-payment-methods.ts';
import { ownersOfIdempotencyKeys } from './0062-owners-of-idempotency-keys.ts';
import { makersOfEndpoints } from './0063-makers-of-endpoints.ts';
import { makersOfCharges } from './0064-makers-of-charges.ts';
import { roundsOfDisputes } from './0065-rounds-of-disputes.ts';
import { rootsOfNotices } from './0066-roots-of-notices.ts';
import { waitingNotices } from './0067-waiting-notices.ts';
import { endpointsThatWereQuick } from './0068-endpoints-that-were-quick.ts';
import { pendingBankFunds } from './0069-pending-bank-funds.ts';
import { pagesOfMails } from './0070-pages-of-mails.ts';
import { holdsOfAccounts } from './0071-holds-of-accounts.ts';
import { heldBankAccounts } from './0072-held-bank-accounts.ts';
import { heldPayouts } from './0073-held-payouts.ts';
import { payableFunds } from './0074-payable-funds.ts';
import { listsWithoutClocks } from './0075-lists-without-clocks.ts';
import { makersOfRefunds } from './0076-makers-of-refunds.ts';
import { makersOfPayouts } from './0077-makers-of-payouts.ts';
import { makersOfBankAccounts } from './0078-makers-of-bank-accounts.ts';
import { makersOfFiles } from './0079-makers-of-files.ts';
import { makersOfReplays } from './0080-makers-of-replays.ts';
import { makersOfTestClocks } from './0081-makers-of-test-clocks.ts';
import { expiredGrants } from './0082-expired-grants.ts';
import { prices } from './0083-prices.ts';
import { unannouncedDestinations } from './0084-unannounced-destinations.ts';
import { chargeListsWithoutClocks } from './0085-charge-lists-without-clocks.ts';
import { customerListsWithoutClocks } from './0086-customer-lists-without-clocks.ts';
import { disputeListsWithoutClocks } from './0087-dispute-lists-without-clocks.ts';
import { payoutListsWithoutClocks } from './0088-payout-lists-without-clocks.ts';
import { rightsOfTriggers } from './0089-rights-of-triggers.ts';
import { customerBalances } from './0090-customer-balances.ts';
import { invoices } from './0091-invoices.ts';
import { invoicesOfCharges } from './0092-invoices-of-charges.ts';
import { chargesOfInvoices } from './0093-charges-of-invoices.ts';
import { subscriptions } from './0094-subscriptions.ts';
import { answersOfOperations } from './0095-answers-of-operations.ts';
import { subscriptionsInDunning } from './0096-subscriptions-in-dunning.ts';
import { wakesOfSubscriptions } from './0097-wakes-of-subscriptions.ts';
import { linksOfMails } from './0098-links-of-mails.ts';
import { remindersOfRenewals } from './0099-reminders-of-renewals.ts';
import { billingSettings } from './0100-billing-settings.ts';
import { subscriptionsInDispute } from './0101-subscriptions-in-dispute.ts';
import { retentionOfInvoices } from './0102-retention-of-invoices.ts';
import { workOfBilling } from './0103-work-of-billing.ts';
import { adjacentPeriods } from './0104-adjacent-periods.ts';
import { announcedFailures } from './0105-announced-failures.ts';
import { editedInvoiceItems } from './0106-edited-invoice-items.ts';
import { failuresOfBilling } from './0107-failures-of-billing.ts';
import { periodsOfChanges } from './0108-periods-of-changes.ts';
import { customersOfMails } from './0109-customers-of-mails.ts';
import type { Migration } from './migration.ts';

/** In the order in which they run; new ones go to the end. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  charges,
  operations,
  ledger,
  events,
  audit,
  keyUsage,
  leaks,
  replays,
  ledgerTail,
  idempotencyAge,
  operationReview,
  operationsDue,
  listIndexes,
  hookUse,
  endpointStatus,
  pendingByTime,
  deliveryLogIndexes,
  deliveriesWithoutKeys,
  endpointLane,
  failedReplays,
  attemptIndexes,
  deliveryCounts,
  expungedEvents,
  purges,
  endpointHistory,
  platforms,
  grants,
  interactions,
  leakedGrants,
  customers,
  attachedMethods,
  methodsByToken,
  notices,
  sandboxNotices,
  operationsWithoutCharge,
  payouts,
  files,
  disputes,
  noticesWaitForTheHook,
  pastDueDisputes,
  alertsOfDisputes,
  noticesOfAccounts,
  automaticPayouts,
  settlements,
  bankDebits,
  usedFiles,
  testClocks,
  offSession,
  operationsOfCaptures,
  promisedOutcomes,
  waitsOfTestClocks,
  stoppedPayouts,
  waitingPayouts,
  operationsOnClocks,
  indexesOfPasses,
  namesOfHolders,
  promisesOfDeletedClocks,
  tokensOfHolders,
  correctablePaymentMethods,
  forgottenPaymentMethods,
  ownersOfIdempotencyKeys,
  makersOfEndpoints,
  makersOfCharges,
  roundsOfDisputes,
  rootsOfNotices,
  waitingNotices,
  endpointsThatWereQuick,
  pendingBankFunds,
  pagesOfMails,
  holdsOfAccounts,
  heldBankAccounts,
  heldPayouts,
  payableFunds,
  listsWithoutClocks,
  makersOfRefunds,
  makersOfPayouts,
  makersOfBankAccounts,
  makersOfFiles,
  makersOfReplays,
  makersOfTestClocks,
  expiredGrants,
  prices,
  unannouncedDestinations,
  chargeListsWithoutClocks,
  customerListsWithoutClocks,
  disputeListsWithoutClocks,
  payoutListsWithoutClocks,
  rightsOfTriggers,
  customerBalances,
  invoices,
  invoicesOfCharges,
  chargesOfInvoices,
  subscriptions,
  answersOfOperations,
  subscriptionsInDunning,
  wakesOfSubscriptions,
  linksOfMails,
  remindersOfRenewals,
  billingSettings,
  subscriptionsInDispute,
  retentionOfInvoices,
  workOfBilling,
  adjacentPeriods,
  announcedFailures,
  editedInvoiceItems,
  failuresOfBilling,
  periodsOfChanges,
  customersOfMails,
];
