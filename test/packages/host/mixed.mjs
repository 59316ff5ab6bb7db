// A process that imports the package in one place and requires it in another.
import { createRequire } from 'node:module';
import * as imported from 'paymount';
import * as importedProcessor from 'paymount/processor';
import * as importedReceiver from 'paymount/receiver';

const require = createRequire(import.meta.url);
const required = require('paymount');
const { startWorker } = require('paymount/worker');

const silent = () => undefined;
const paymount = await imported.createPaymount({
  database: process.env.DATABASE_URL,
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
const worker = await startWorker(paymount);
await worker.close();
await paymount.close();

const error = new required.PaymountError('card_declined');
const notSent = new (require('paymount/processor').NotSentError)('There is no network.');
const refused = new (require('paymount/receiver').SignatureError)('signature_mismatch', 'No.');
const facts = [
  imported.PaymountError.is(error),
  error instanceof imported.PaymountError,
  notSent instanceof importedProcessor.NotSentError,
  refused instanceof importedReceiver.SignatureError,
];
const times = imported.PaymountError === required.PaymountError ? 'once' : 'twice';
process.stdout.write(`loaded ${times}: ${startWorker.name} ${facts.join(' ')}\n`);
