import { callApiOk, textOf } from './api-client.ts';
import type { Stage } from './stage.ts';

/** Commands to paste; the charge that they refund is made here. */
export async function whatNext({ environments: { test }, shopUrl }: Stage): Promise<string[]> {
  const charge = await callApiOk(test, test.secretKey, '/v1/charges', {
    amount: '4200',
    currency: 'eur',
    payment_method: 'pm_card_visa',
  });
  const curl = `curl -u ${test.secretKey}: ${test.baseUrl}`;
  const order = `'{"item":"mug","payment_method":"pm_card_visa"}'`;
  return [
    '# list charges',
    `${curl}/v1/charges`,
    '# charge a test card',
    `${curl}/v1/charges -d amount=4200 -d currency=eur -d payment_method=pm_card_visa`,
    '# give half of a charge back',
    `${curl}/v1/refunds -d charge=${textOf(charge, 'id')} -d amount=2100`,
    '# read the events that were delivered',
    `${curl}/v1/events`,
    '# order a mug: the shop writes the order and the charge in one transaction',
    `curl ${shopUrl}/orders -H 'content-type: application/json' -d ${order}`,
  ];
}
