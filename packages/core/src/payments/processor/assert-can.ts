import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Processor, ProcessorCapabilities } from './processor.ts';

/** What an adapter may lack for each use: the capability, and what to do instead. */
const USES = {
  authorize: ['manualCapture', 'charges are captured at once; leave `capture` out'],
  capture: ['manualCapture', 'capture the charge at the processor'],
  capturePart: ['partialCapture', 'capture the whole amount; leave `amount` out'],
  cancel: ['voids', 'let the authorization expire, or capture the charge and refund it'],
  refund: ['refunds', 'refund the charge at the processor'],
  payout: ['payouts', 'pay out at the processor'],
  addBankAccount: ['payouts', 'no bank account is needed'],
  takeBankNumber: ['rawBankAccounts', 'send a token of the processor instead of the number'],
} as const;

/**
 * Refuses a kind of payment method that an adapter does not take.
 * @param param the parameter that names the method
 * @throws PaymountError `operation_not_supported`, naming the capability and the cure
 */
export function assertTakes(
  { name, capabilities }: Pick<Processor, 'name' | 'capabilities'>,
  type: ProcessorCapabilities['methods'][number],
  param?: string,
): void {
  if (capabilities.methods.includes(type)) return;
  const cure = type === 'card' ? 'debit a bank account' : 'pay by card';
  const message = `The processor ${name} lacks the capability \`methods: ${type}\`: ${cure}.`;
  throw refusal(message, param);
}

/**
 * Refuses what an adapter cannot do, before anything is written or sent.
 * @param param the parameter that asks for it, if it is one
 * @throws PaymountError `operation_not_supported`, naming the capability and the cure
 */
export function assertCan(
  { name, capabilities }: Pick<Processor, 'name' | 'capabilities'>,
  use: keyof typeof USES,
  param?: string,
): void {
  const [capability, cure] = USES[use];
  if (capabilities[capability] === true) return;
  const message = `The processor ${name} lacks the capability \`${capability}\`: ${cure}.`;
  throw refusal(message, param);
}

function refusal(message: string, param: string | undefined): PaymountError {
  const at = param === undefined ? {} : { param };
  return new PaymountError('operation_not_supported', message, at);
}
