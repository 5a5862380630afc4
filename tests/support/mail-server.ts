import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An SMTP server that keeps the mails of tests. */

export type ReceivedMail = { readonly to: readonly string[]; readonly source: string };

/** What the server answers to a recipient: nothing to accept it, or a code to refuse it. */
type RecipientReaction = (address: string) => number | undefined;

export type MailServer = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The mails to one address. */
  to(address: string): ReceivedMail[];
  react(reaction: RecipientReaction): void;
  close(): Promise<void>;
};

const refusal = (code: number): Error => Object.assign(new Error('refused in a test'), { responseCode: code });

export const openMailServer = async (): Promise<MailServer> => {
  const mails: ReceivedMail[] = [];
  let react: RecipientReaction = () => undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, callback) => {
      const code = react(address);
      callback(code === undefined ? null : refusal(code));
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), source: Buffer.concat(chunks).toString() });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    to: (address) => mails.filter(({ to }) => to.includes(address)),
    react: (next) => {
      react = next;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};
