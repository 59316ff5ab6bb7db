import { callApiOk, requireText } from './api-client.ts';
import { dashboardUrl } from './demo-file.ts';
import { makeKey } from './make-key.ts';
import type { Setup } from './setup.ts';

/**
 * Commands to paste; the charge that they refund and the key that they rotate are created here.
 * @param file the file of this demo
 */
export async function whatNext(setup: Setup, file: string): Promise<string[]> {
  const { environments, shopUrl, management, merchant, oauth } = setup;
  const { test } = environments;
  const charge = await callApiOk(test, test.secretKey, '/v1/charges', {
    amount: '4200',
    currency: 'eur',
    payment_method: 'pm_card_visa',
  });
  const curl = `curl -u ${test.secretKey}: ${test.baseUrl}`;
  const key = await makeKey(setup, 'Demo, to be rotated by hand');
  const manage = `curl -H 'authorization: Bearer ${management.token}' ${management.baseUrl}`;
  const database = `DATABASE_URL=$(node -p "require('./${file}').databaseUrl")`;
  const order = `'{"item":"mug","payment_method":"pm_card_visa"}'`;
  const wish = `'{"shopper":"Eve","payment_method":"pm_card_visa"}'`;
  return [
    '# list charges',
    `${curl}/v1/charges`,
    '# charge a test card',
    `${curl}/v1/charges -d amount=4200 -d currency=eur -d payment_method=pm_card_visa`,
    '# give half of a charge back',
    `${curl}/v1/refunds -d charge=${requireText(charge, 'id')} -d amount=2100`,
    '# read the events that were delivered',
    `${curl}/v1/events`,
    '# order a mug: the shop writes the order and the charge in one transaction',
    `curl ${shopUrl}/orders -H 'content-type: application/json' -d ${order}`,
    '# join the tea club: the shop writes the membership and the subscription in one transaction',
    `curl ${shopUrl}/memberships -H 'content-type: application/json' -d ${wish}`,
    '# list all keys, as an admin',
    `${manage}/keys`,
    '# give a key a successor, and itself another hour',
    `${manage}/keys/${key.id}/rotate -d overlap_seconds=3600`,
    `# open the dashboard in a browser, as ${oauth.loginAs.name} with ${oauth.loginAs.password}`,
    dashboardUrl(setup),
    '# connect the platform of "oauth", as the same user; OAuth is in test only, as live needs https',
    `${oauth.platformUrl}/connect`,
    '# see what is connected, and end it',
    `${test.baseUrl}/oauth/applications`,
    '# compile the paymount command, and see with it who uses which key',
    `npm run --silent build && ${database} npx paymount keys list --account ${merchant.account}`,
  ];
}
