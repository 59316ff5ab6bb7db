import type { ChangeResult } from '@paymount/core/changes';
import type { StoredChange } from '@paymount/core/store';
import { readEndpoints } from '../deliveries/account-endpoints.ts';
import {
  dispatchCommitted,
  dispatchReleased,
  planDeliveries,
  reserve,
} from '../deliveries/fan-out.ts';
import { ensureLedgerAccounts } from '../ledger/ledger-accounts.ts';
import type { Session } from '../transaction/session.ts';
import {
  announceChosen,
  type ChangePorts,
  type DeliveryPlan,
  EndpointsChanged,
  executeChange,
  fannedOut,
} from './execute-change.ts';

/**
 * The hot path: a single statement, which is its own transaction. The deliveries are for the
 * endpoints that this process read last, and the statement checks that these are unchanged. If not,
 * it writes nothing, and they are read again.
 */
export async function applyAlone(
  session: Session,
  change: StoredChange,
  ports: ChangePorts,
): Promise<ChangeResult> {
  await ensureLedgerAccounts(session, change, ports.knownLedgers);
  const events = fannedOut(change);
  if (events.length === 0) return applyPlanned(session, change, { deliveries: [] }, ports);
  const known = ports.knownEndpoints.get(change);
  if (known) {
    const deliveries = planDeliveries(change, events, known.endpoints);
    try {
      return await applyPlanned(session, change, { deliveries, reliesOn: known }, ports);
    } catch (error) {
      if (!(error instanceof EndpointsChanged)) throw error;
    }
  }
  const found = await readEndpoints(session, change, change.at);
  ports.knownEndpoints.set(change, found);
  const deliveries = planDeliveries(change, events, found.endpoints);
  return applyPlanned(session, change, { deliveries }, ports);
}

async function applyPlanned(
  session: Session,
  change: StoredChange,
  plan: DeliveryPlan,
  ports: ChangePorts,
): Promise<ChangeResult> {
  const { dispatch } = ports;
  const deliveries = reserve(dispatch, plan.deliveries);
  try {
    const { result, at } = await executeChange(session, change, { ...plan, deliveries }, ports);
    if (result === 'applied') {
      dispatchCommitted(dispatch, deliveries, at);
      announceChosen(dispatch, change);
    } else dispatchReleased(dispatch, deliveries);
    return result;
  } catch (error) {
    dispatchReleased(dispatch, deliveries);
    throw error;
  }
}
