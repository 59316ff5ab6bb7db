import { createSigningSecret, signDelivery } from 'paymount-receiver/internal';
import { Agent, request } from 'undici';
import { answerCommands } from './child.ts';
import { Outstanding } from './outstanding.ts';
import { ACCOUNT, sampleEvent } from './sample-event.ts';

/** The least that delivering can be: sign, POST, read the answer. Nothing is kept. */
const OUTSTANDING = 512;
const agent = new Agent({ pipelining: 1 });
const outstanding = new Outstanding(OUTSTANDING);
let targets: readonly { readonly url: string; readonly secret: string }[] = [];
let turn = 0;
/** How many of the targets get each event. */
let perEvent = 1;
let current = { id: '', body: Buffer.alloc(0) };

function start(ports: readonly number[]): void {
  perEvent = ports.length / Number(process.env['BENCH_ACCOUNTS']);
  targets = ports.map((port) => ({
    url: `http://127.0.0.1:${port}/hooks`,
    secret: createSigningSecret(),
  }));
}

/** One event after the other to every target; `begin` counts each delivery by itself. */
async function deliver(): Promise<void> {
  const target = targets[turn % targets.length];
  if (target === undefined) throw new Error('There is nobody to deliver to.');
  if (turn % perEvent === 0) {
    const event = sampleEvent(ACCOUNT);
    current = { id: event.id, body: Buffer.from(event.body) };
  }
  turn += 1;
  const { id, body } = current;
  const delivery = `${turn}`;
  outstanding.begin(delivery, 1);
  const answer = await request(target.url, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...signDelivery({
        body,
        eventId: id,
        secrets: [target.secret],
        timestampSeconds: Math.floor(Date.now() / 1000),
      }),
    },
    body,
  });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`);
  outstanding.end(delivery);
}

answerCommands(
  { start, run: (seconds: number) => outstanding.run(seconds, OUTSTANDING, deliver) },
  () => agent.close(),
);
