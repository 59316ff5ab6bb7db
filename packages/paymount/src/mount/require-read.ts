import type { IncomingMessage } from 'node:http';
import { isRead } from '@paymount/auth';
import { PaymountError } from '@paymount/core/kernel';

/** @throws PaymountError `method_not_allowed` unless it is a GET or a HEAD */
export function requireRead(request: IncomingMessage): void {
  if (isRead(request)) return;
  const extra = { allowed_methods: ['GET'] };
  throw new PaymountError('method_not_allowed', 'This route takes GET.', { extra });
}
