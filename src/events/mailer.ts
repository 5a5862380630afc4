import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { EmailContent } from '../messages/email-message.ts';
import type { DeliveryResult } from './delivery-result.ts';

/** Sends mail through the one mail server that the configuration names. */

export type Mail = {
  readonly to: string;
  readonly content: EmailContent;
  /** Identifies the mail: a second attempt has the same, so that readers can tell a duplicate. */
  readonly key: string;
  /** What mails of one thread have in common. */
  readonly threadKey: string;
  readonly listId: string;
  /** The address that ends such mails by one request (RFC 8058). */
  readonly endUrl?: string;
};

export type Mailer = {
  /** Sends one mail; never throws. */
  send(mail: Mail, signal: AbortSignal): Promise<DeliveryResult>;
  close(): void;
};

export type MailerOptions = {
  /** `smtp://` or `smtps://`, with the credentials if the server wants some. */
  readonly url: string;
  readonly from: string;
  readonly timeoutMs?: number;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 2;

const openTransport = ({ url, timeoutMs = DEFAULT_TIMEOUT_MS }: MailerOptions) => {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isTls = protocol === 'smtps:';
  const auth = username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    secure: isTls,
    // Credentials never cross the network unencrypted.
    requireTLS: !isTls && auth !== undefined,
    ...(auth ? { auth } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

/** The errors that an answer to this very mail causes, and not the state of the server or of the connection. */
const MAIL_ERRORS: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

const MAIL_REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refuses the credentials',
  ETIMEDOUT: 'The mail server does not answer in time',
  ETLS: 'The connection to the mail server cannot be encrypted',
};

/** A permanent refusal of the mail is final; what else fails may succeed later. */
const resultOfFailure = (failure: unknown): DeliveryResult => {
  const code: unknown = Reflect.get(Object(failure), 'code');
  const answered: unknown = Reflect.get(Object(failure), 'responseCode');
  const known = MAIL_REASONS[String(code)];
  if (typeof answered !== 'number') return { isOk: false, reason: known ?? 'The mail server cannot be reached' };
  return {
    isOk: false,
    statusCode: answered,
    reason: known ?? `The mail server answered ${answered}`,
    isFinal: answered >= 500 && MAIL_ERRORS.has(code),
  };
};

/** Ends with the call when the signal is aborted; the mail itself may still arrive. */
const orAborted = (sending: Promise<DeliveryResult>, signal: AbortSignal): Promise<DeliveryResult> =>
  new Promise((resolve) => {
    const give = () => resolve({ isOk: false, reason: 'The call was given up' });
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true });
    sending.then((result) => {
      signal.removeEventListener('abort', give);
      resolve(result);
    });
  });

/** Programs that read mail offer to end it by one request, which carries nothing but the address itself. */
const endHeaders = (endUrl: string | undefined) =>
  endUrl === undefined
    ? {}
    : {
        'List-Unsubscribe': { prepared: true, foldLines: false, value: `<${endUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };

const ACCEPTED = 250;

export const createMailer = (options: MailerOptions): Mailer => {
  const { from } = options;
  // A closed pool sends no more, so the next mail opens another.
  let pool: ReturnType<typeof openTransport> | undefined;
  const transport = () => {
    pool ??= openTransport(options);
    return pool;
  };
  const host = /@([^\s<>"@]+?)>?$/.exec(from)?.[1] ?? 'localhost';
  const idOf = (key: string) => `<${createHash('sha256').update(key).digest('hex').slice(0, 32)}@${host}>`;
  const send = async ({ to, content, key, threadKey, listId, endUrl }: Mail): Promise<DeliveryResult> => {
    const thread = idOf(threadKey);
    try {
      await transport().sendMail({
        from,
        // An object is taken as one address, whatever its text holds.
        to: { name: '', address: to },
        ...content,
        messageId: idOf(`${key} ${to}`),
        inReplyTo: thread,
        references: [thread],
        headers: { 'Auto-Submitted': 'auto-generated', 'List-Id': `<${listId}.${host}>`, ...endHeaders(endUrl) },
      });
      return { isOk: true, statusCode: ACCEPTED };
    } catch (failure) {
      return resultOfFailure(failure);
    }
  };
  return {
    send: (mail, signal) => orAborted(send(mail), signal),
    close: () => {
      pool?.close();
      pool = undefined;
    },
  };
};
