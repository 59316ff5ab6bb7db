import { query } from './database.ts';
import { type DisputeSetup, startDisputeSetup } from './dispute-setup.ts';

/** 27,000 characters: the largest metadata that an object has. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`${at}`.padStart(40, 'k'), 'ä'.repeat(500)]),
);
/** Seven of them are the longest evidence. */
const TEXT = 'a'.repeat(20_000);
const COPIES = 100;

/** A merchant with a hundred objects of each kind, each as large as it may be; `close()` it in `after`. */
export async function startWithLargestObjects(): Promise<DisputeSetup> {
  const setup = await startDisputeSetup();
  const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa', metadata: METADATA };
  const charge = String((await setup.post('/v1/charges', sale).expect(200)).body.id);
  const refund = { charge, amount: 1, metadata: METADATA };
  await setup.post('/v1/refunds', refund).expect(200);
  await setup.post('/v1/customers', { metadata: METADATA }).expect(200);
  const { dispute } = await setup.chargeback();
  for (const names of [EVIDENCE.slice(0, 4), EVIDENCE.slice(4)]) {
    const evidence = Object.fromEntries(names.map((name) => [name, TEXT]));
    await setup.post(`/v1/disputes/${dispute}`, { submit: false, evidence }).expect(200);
  }
  await setup.post(`/v1/disputes/${dispute}`, { metadata: METADATA }).expect(200);
  await query(setup.databaseUrl, copies(charge));
  await bill(setup);
  return setup;
}

/** Invoices with 270 lines, and subscriptions with as many bytes as their events may have. */
async function bill(setup: DisputeSetup): Promise<void> {
  const make = async (path: string, sent: object): Promise<{ readonly id: string }> =>
    (await setup.post(`/v1/${path}`, sent).expect(200)).body;
  const customer = (await make('customers', {})).id;
  const description = 'ä'.repeat(500);
  await make('invoiceitems', { customer, amount: 1, currency: 'eur', description });
  const invoice = await make('invoices', {
    customer,
    pending_invoice_items_behavior: 'include',
    description,
    metadata: METADATA,
  });
  const items: object[] = [];
  for (let made = 0; made < 20; made += 1) {
    const { id: price } = await make('prices', {
      product_data: { name: 'Basic' },
      currency: 'eur',
      unit_amount: 1,
      recurring: { interval: 'month' },
    });
    items.push({ price, ...(made < 2 && { metadata: METADATA }) });
  }
  const subscription = await make('subscriptions', {
    customer,
    items,
    collection_method: 'send_invoice',
    days_until_due: 30,
    metadata: METADATA,
  });
  const lines = `'lines', (SELECT jsonb_agg(c.lines -> 0 || jsonb_build_object('id', 'il_' || lpad(m::text, 26, '0')))
    FROM generate_series(1, 270) AS m), 'total', 270`;
  await query(
    setup.databaseUrl,
    `SET session_replication_role = replica;
     ${copied('invoices', 'in', `c.id = '${invoice.id}'`, lines)};
     ${copied('subscriptions', 'sub', `c.id = '${subscription.id}'`)}`,
  );
}

const EVIDENCE = [
  'access_activity_log',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'uncategorized_text',
];

/** An event may have 256 KiB, the metadata of a charge are 54 KB of them. */
const LARGE_EVENT = `'object_version', 1000 + n, 'body',
  replace(c.body, '"description":null', '"description":"' || repeat('a', 200000) || '"')`;

/** Copies go past triggers and foreign keys, and agree with nothing else. */
function copies(charge: string): string {
  return `SET session_replication_role = replica;
    ${copied('charges', 'ch', `c.id = '${charge}'`)};
    ${copied('customers', 'cus')};
    ${copied('disputes', 'dp', 'true', `'processor_reference', 'copy_' || n, 'charge_id', 'ch_' || lpad(n::text, 26, '0')`)};
    ${copied('events', 'evt', `c.object_id = '${charge}' AND c.type = 'charge.succeeded'`, LARGE_EVENT)};
    INSERT INTO paymount.refunds SELECT r.* FROM paymount.refunds c
      CROSS JOIN (SELECT id, row_number() OVER () AS n FROM paymount.charges) h
      CROSS JOIN generate_series(1, 10) AS m CROSS JOIN LATERAL jsonb_populate_record(c,
        jsonb_build_object('id', 're_' || lpad((h.n * 100 + m)::text, 26, '0'), 'charge_id', h.id)) r`;
}

function copied(table: string, prefix: string, where = 'true', more = ''): string {
  const facts = `'id', '${prefix}_' || lpad(n::text, 26, '0')${more === '' ? '' : `, ${more}`}`;
  return `INSERT INTO paymount.${table} SELECT r.* FROM paymount.${table} c
    CROSS JOIN generate_series(1, ${COPIES}) AS n
    CROSS JOIN LATERAL jsonb_populate_record(c, jsonb_build_object(${facts})) r WHERE ${where}`;
}

/**
 * A delivery with a hundred attempts, to which an endpoint answered with as much as is kept of what
 * takes longest to read: beginnings of addresses with a password. @returns its id
 */
export async function largestDelivery(setup: DisputeSetup): Promise<string> {
  const endpoint = { url: 'http://127.0.0.1:9/', enabled_events: ['charge.succeeded'] };
  await setup.post('/v1/webhook_endpoints', endpoint).expect(200);
  await setup.sale();
  const [delivery] = await query<{ id: string }>(
    setup.databaseUrl,
    `WITH logged AS (
       INSERT INTO paymount.delivery_attempts (id, account_id, livemode, delivery_id, event_id, event_type,
         endpoint_id, attempt, outcome, url, request_headers, response_status, response_headers,
         response_body, response_truncated, started_at, duration_ms, reused_connection, redialed)
       SELECT 'att_' || lpad(n::text, 26, '0'), account_id, livemode, id, event_id, event_type, endpoint_id, 1,
         'failed', 'http://127.0.0.1:9/', '{}', 500, jsonb_build_object('x-echo', repeat('a://b:', 1000)),
         convert_to(repeat('a://b:', 2730), 'UTF8'), true, created + n * interval '1 ms', 1, false, false
       FROM paymount.deliveries CROSS JOIN generate_series(1, ${COPIES}) AS n RETURNING delivery_id)
     SELECT DISTINCT delivery_id AS id FROM logged`,
  );
  return delivery?.id ?? '';
}
