const FLAGS: Readonly<Record<string, string>> = { object: '--object', endpoint: '--endpoint' };

/**
 * What the API says of a parameter, in the words of the command line: `--override metadata.order` in
 * place of `overrides[metadata][order]`, and before a message that does not name it.
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
