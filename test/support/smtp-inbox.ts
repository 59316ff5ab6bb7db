import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail as it came over the wire. */
export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  /** The bytes of the message. */
  readonly raw: string;
  readonly email: Email;
}

/** A real SMTP server on loopback that keeps what it is sent. */
export interface SmtpInbox {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Refuses the next messages, with this status and text of SMTP. */
  refuse(count: number, status?: number): void;
  close(): Promise<void>;
}

/** Starts it; `close()` it in `after`. @param tls key and certificate: then it speaks TLS alone */
export async function startSmtpInbox(tls?: { key: string; cert: string }): Promise<SmtpInbox> {
  const mails: ReceivedMail[] = [];
  let refusals = 0;
  let refusal = 451;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    ...(tls && { secure: true, ...tls }),
    logger: false,
    async onData(stream, { envelope }, done) {
      const raw = await readText(stream);
      if (refusals > 0) {
        refusals -= 1;
        done(Object.assign(new Error('Not now'), { responseCode: refusal }));
        return;
      }
      mails.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        raw,
        email: await PostalMime.parse(raw),
      });
      done();
    },
  });
  // A client that does not trust the certificate goes away.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    refuse(count, status = 451) {
      refusals = count;
      refusal = status;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
