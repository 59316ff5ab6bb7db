import { type CliContext, EXIT } from '@paymount/cli';
import { missing } from '@paymount/core/kernel';
import { type DisputeRule, DisputeRuleInput, toDisputeResource } from '@paymount/core/payments';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { callFor, EVERYTHING } from '../caller.ts';
import { parseDisputeId } from '../id-arguments.ts';
import { withPaymount } from '../with-paymount.ts';

export interface DisputeRuleFlags {
  readonly as: DisputeRule['outcome'];
  readonly reason: string;
}

/** `paymount disputes rule`: uses the hook of the host, like the API. */
export async function ruleDisputeCommand(
  context: CliContext,
  text: string,
  { as: outcome, reason }: DisputeRuleFlags,
): Promise<number> {
  const id = parseDisputeId(text);
  // Searched for secrets, as in the management API, because the audit log stores it.
  assertNoForbiddenTexts({ reason }, { cards: true });
  const rule = validateInput(DisputeRuleInput, { outcome, reason });
  const ruled = await withPaymount(context, async ({ stores, services }) => {
    const found = await stores.directory.disputes.find(EVERYTHING, id);
    if (found === undefined) throw missing('dispute', id);
    return services.disputes.rule(callFor(found), found, rule);
  });
  const dispute = toDisputeResource(ruled);
  context.report(dispute, [`${dispute.id} is ${dispute.status}, in round ${dispute.round}.`]);
  return EXIT.done;
}
