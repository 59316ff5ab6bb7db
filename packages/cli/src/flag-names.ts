const FLAGS: Readonly<Record<string, string>> = {
  object: '--object',
  endpoint: '--endpoint',
  customer: '--customer',
  subscription: '--subscription',
  price: '--price',
  status: '--status',
  starting_after: '--after',
  prorate: '--prorate',
  invoice_now: '--invoice-now',
  payment_method: '--payment-method',
  paid_out_of_band: '--out-of-band',
};

/**
 * Replaces the parameter in an API message with the flag: `--override metadata.order` instead of
 * `overrides[metadata][order]`. If the message does not name the parameter, the flag goes before
 * it.
 */
export function inFlags(message: string, param: string): string {
  const flag = FLAGS[param] ?? flagForPath(param);
  if (flag === undefined) return message;
  const named = param.includes('[') && message.includes(param);
  return named ? message.replaceAll(param, flag) : `${flag}: ${message}`;
}

function flagForPath(param: string): string | undefined {
  const [, name, path = ''] = /^(overrides|types)\[(.+)\]$/.exec(param) ?? [];
  if (name === 'types') return '--types';
  return name && `--override ${path.split('][').join('.')}`;
}
