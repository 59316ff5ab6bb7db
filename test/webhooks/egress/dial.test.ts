import { Socket } from 'node:net';
import type { DeliveryClient, LookUp } from '@paymount/webhooks';
import { expect } from 'chai';
import { testCertificate } from '../../support/test-certificate.ts';
import { send, testClient, toOutcome } from './client.ts';
import { answerAll, http, rawServers, readRequest } from './raw-server.ts';

const blocked = { outcome: 'failed', errorCode: 'blocked_address' };

describe('A dial', () => {
  const clients: DeliveryClient[] = [];
  const servers = rawServers();
  const { serve } = servers;
  const dialled: string[] = [];
  const connect = Socket.prototype.connect;

  const makeClient = (options: Parameters<typeof testClient>[0]): DeliveryClient => {
    const client = testClient(options);
    clients.push(client);
    return client;
  };
  const answering = (...addresses: string[]): LookUp => {
    return async () => addresses;
  };

  beforeEach(() => {
    dialled.length = 0;
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
      const [first] = args.flat() as { host?: string }[];
      dialled.push(String(first?.host));
      return Reflect.apply(connect, this, args) as Socket;
    } as typeof connect;
  });

  afterEach(async () => {
    Socket.prototype.connect = connect;
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await servers.close();
  });

  const names: readonly (readonly [string, string, readonly string[]])[] = [
    ['a name that spells an inner address', '127.0.0.1.nip.io', ['127.0.0.1']],
    ['a name that leads to a private network', 'hooks.example.com', ['10.0.0.5']],
    ['a public address next to a loopback one', 'hooks.example.com', ['93.184.216.34', '::1']],
    [
      'a public address next to a mapped one',
      'hooks.example.com',
      ['93.184.216.34', '::ffff:10.0.0.1'],
    ],
    [
      'a public address next to the translation of another one',
      'hooks.example.com',
      ['93.184.216.34', '64:ff9b::808:808'],
    ],
    [
      'a public address next to the translation of an inner one',
      'hooks.example.com',
      ['93.184.216.34', '64:ff9b::10.0.0.1'],
    ],
    [
      'a public address next to its translation and an inner one',
      'hooks.example.com',
      ['93.184.216.34', '64:ff9b::93.184.216.34', 'fd00::1'],
    ],
    ['the translation of a public address alone', 'hooks.example.com', ['64:ff9b::808:808']],
    [
      'an inner address next to its translation',
      'hooks.example.com',
      ['10.0.0.5', '64:ff9b::a00:5'],
    ],
    ['an alias of an inner name', 'alias.example.com', ['192.168.0.10']],
    ['the metadata address of a cloud', 'hooks.example.com', ['169.254.169.254']],
    ['what is no address', 'hooks.example.com', ['hooks.example.com']],
  ];
  for (const [what, hostname, addresses] of names) {
    it(`never happens to ${what}`, async () => {
      const client = makeClient({ allowedNetworks: [], lookUp: answering(...addresses) });
      const result = await send(client, `https://${hostname}/`);
      expect(toOutcome(result)).to.deep.equal(blocked);
      expect(dialled).to.deep.equal([]);
    });
  }

  it('never happens to a literal, in any spelling, that registration would refuse', async () => {
    const client = makeClient({ allowedNetworks: [] });
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:7f00:1]',
      '169.254.169.254',
    ]) {
      expect(toOutcome(await send(client, `http://${host}/`)), host).to.deep.equal(blocked);
    }
    expect(toOutcome(await send(client, 'http://localhost/'))).to.deep.equal(blocked);
    expect(dialled).to.deep.equal([]);
  });

  it('shows nothing of a blocked target', async () => {
    const client = makeClient({ allowedNetworks: [], lookUp: answering('10.0.0.5') });
    const { durationMs, ...shown } = await send(client, 'https://hooks.example.com/');
    const nothing = { remoteAddress: undefined, dnsMs: undefined, connectMs: undefined };
    expect(shown).to.deep.equal({
      ...blocked,
      ...nothing,
      tlsMs: undefined,
      waitMs: undefined,
      reusedConnection: false,
      redialed: false,
    });
    expect(durationMs).to.be.below(3_000);
  });

  it('checks each new connection, so that a name cannot resolve to an internal address later', async () => {
    const server = await serve(answerAll(http('200 OK', ['Connection: close'])));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const lookUp: LookUp = async () => answers.shift() ?? [];
    const client = makeClient({ lookUp, ports: [server.port] });
    const url = `http://hooks.example.com:${server.port}/`;
    expect(toOutcome(await send(client, url))).to.include({ outcome: 'succeeded' });
    expect(toOutcome(await send(client, url))).to.deep.equal(blocked);
    expect(server.connections).to.equal(1);
  });

  it('resolves a name once per connection, and connects to the address that was checked', async () => {
    const server = await serve(answerAll(http('200 OK')), testCertificate);
    let asked = 0;
    const client = makeClient({
      lookUp: async () => {
        asked += 1;
        return ['127.0.0.1'];
      },
      ports: [server.port],
      ca: testCertificate.ca,
    });
    const result = await send(client, `https://localhost:${server.port}/`);
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    expect(result.remoteAddress).to.equal('127.0.0.1');
    expect(asked).to.equal(0);
    await send(client, `http://hooks.example.com:${server.port}/`);
    expect(asked).to.equal(1);
  });

  it('tries the other addresses of a name when one refuses', async () => {
    const server = await serve(answerAll(http('200 OK')));
    const client = makeClient({
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      lookUp: answering('127.0.0.2', '127.0.0.1'),
      ports: [server.port],
    });
    const result = await send(client, `http://hooks.example.com:${server.port}/`);
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    expect(result.remoteAddress).to.equal('127.0.0.1');
  });

  for (const translation of [
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1:fffe::127.0.0.1',
    '64:ff9b:1:7f00:0:100::',
  ]) {
    it(`connects to an address if its translation ${translation} is among the others`, async () => {
      const server = await serve(answerAll(http('200 OK')));
      const client = makeClient({
        lookUp: answering('127.0.0.1', translation),
        ports: [server.port],
      });
      const result = await send(client, `http://hooks.example.com:${server.port}/`);
      expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
      expect(result.remoteAddress).to.equal('127.0.0.1');
    });
  }

  it('uses only the allowed ports in a network that the host listed, whatever was stored', async () => {
    const server = await serve(answerAll(http('200 OK')));
    const client = makeClient({ ports: [server.port + 1] });
    expect(toOutcome(await send(client, server.url))).to.deep.equal(blocked);
    expect(server.connections).to.equal(0);
  });

  it('never happens to an address of the host itself, whatever the name is', async () => {
    for (const address of ['93.184.216.34', '2606:2800:220::1']) {
      const client = makeClient({
        allowedNetworks: [],
        ownHosts: ['api.example.com', '93.184.216.34', '2606:2800:0220::1'],
        lookUp: answering(address),
      });
      const result = await send(client, 'https://hooks.example.com/');
      expect(toOutcome(result), address).to.deep.equal(blocked);
    }
    expect(dialled).to.deep.equal([]);
  });

  it('never happens to a name of the host itself, whatever was stored', async () => {
    const client = makeClient({
      ownHosts: ['api.example.com'],
      lookUp: answering('93.184.216.34'),
    });
    expect(toOutcome(await send(client, 'https://api.example.com/v1'))).to.deep.equal(blocked);
    expect(dialled).to.deep.equal([]);
  });

  it('never connects to the metadata address of a cloud, whatever networks the host listed', async () => {
    for (const address of ['169.254.170.2', '100.100.100.200', '192.0.0.192', 'fd00:ec2::23']) {
      const client = makeClient({
        allowedNetworks: ['0.0.0.0/0', '::/0', address],
        lookUp: answering(address),
      });
      const result = await send(client, 'http://hooks.example.com/');
      expect(toOutcome(result), address).to.deep.equal(blocked);
    }
    expect(dialled).to.deep.equal([]);
  });

  it('sends the name as Host, with its port', async () => {
    let head = '';
    const server = await serve(async (socket) => {
      head = (await readRequest(socket))?.head ?? '';
      socket.end(http('200 OK'));
    });
    const client = makeClient({ lookUp: answering('127.0.0.1'), ports: [server.port] });
    await send(client, `http://hooks.example.com:${server.port}/`);
    expect(head).to.match(new RegExp(`^host: hooks\\.example\\.com:${server.port}$`, 'm'));
  });

  it('is a dns failure when the name has no address, or the name server fails', async () => {
    for (const lookUp of [
      answering(),
      async (): Promise<never> => {
        throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
      },
    ]) {
      const client = makeClient({ lookUp });
      expect(toOutcome(await send(client, 'https://hooks.example.com/'))).to.deep.equal({
        outcome: 'failed',
        errorCode: 'dns',
      });
    }
    const real = makeClient({});
    expect(toOutcome(await send(real, 'https://nothing.example.invalid/'))).to.deep.equal(blocked);
  });

  it('counts the name look-up into the deadline', async () => {
    const client = makeClient({ deadlineMs: 100, lookUp: () => new Promise(() => undefined) });
    const result = await send(client, 'https://hooks.example.com/');
    expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'timeout' });
    expect(result.durationMs).to.be.within(99, 3_000);
  });

  it('refuses plain HTTP in live mode, whatever was stored', async () => {
    const server = await serve(answerAll(http('200 OK')));
    const client = makeClient({});
    const result = await client.send({
      url: server.url,
      headers: {},
      body: Buffer.from('{}'),
      environment: 'live',
    });
    expect(toOutcome(result)).to.deep.equal(blocked);
    expect(server.connections).to.equal(0);
  });

  it('ignores the proxy variables of the environment', async () => {
    const proxy = await serve(() => undefined);
    const server = await serve(answerAll(http('200 OK')));
    process.env['HTTP_PROXY'] = proxy.url;
    process.env['http_proxy'] = proxy.url;
    try {
      expect(toOutcome(await send(makeClient({}), server.url))).to.include({
        outcome: 'succeeded',
      });
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
    expect(proxy.connections).to.equal(0);
  });
});
