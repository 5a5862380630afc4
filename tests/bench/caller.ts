import { connect, type Socket } from 'node:net';

export type Reply = { readonly status: number; readonly body: string /** Of head and body. */; readonly bytes: number };

/** One caller with a connection of its own that sends one request at a time. */
export type Caller = {
  send(request: string): Promise<Reply>;
  close(): void;
};

export type Target = {
  readonly address: string;
  readonly token: string;
  /** Headers beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** The bytes of a request, ready to be sent again and again. */
export const requestText = (
  { address, token, headers = {} }: Target,
  method: string,
  path: string,
  body = '',
): string => {
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const more = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(address).host}\r\nAuthorization: Bearer ${token}\r\n${more}${content}\r\n${body}`;
};

const HEAD_END = '\r\n\r\n';

/** How long an answer is, head and body, as far as its head has arrived. */
const lengthOf = (received: Buffer): number | undefined => {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer of unknown length: ${head}`);
  return end + HEAD_END.length + Number(length);
};

const parseReply = (received: Buffer): Reply => {
  const start = received.indexOf(HEAD_END) + HEAD_END.length;
  return {
    status: Number(received.toString('latin1', 9, 12)),
    body: received.toString('utf8', start),
    bytes: received.length,
  };
};

const open = (address: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });

/**
 * A caller that speaks only as much HTTP as is needed here. Node's own client takes several times the processor time,
 * which on a small machine is taken from the service that is measured.
 */
export const openCaller = async (address: string): Promise<Caller> => {
  const socket = await open(address);
  let settle: { resolve: (reply: Reply) => void; reject: (failure: unknown) => void } | undefined;
  let pieces: Buffer[] = [];
  let arrived = 0;
  let length: number | undefined;
  const take = (piece: Buffer): Reply | undefined => {
    pieces.push(piece);
    arrived += piece.length;
    length ??= lengthOf(pieces.length === 1 ? piece : Buffer.concat(pieces));
    if (length === undefined || arrived < length) return undefined;
    const reply = parseReply(pieces.length === 1 ? piece : Buffer.concat(pieces));
    [pieces, arrived, length] = [[], 0, undefined];
    return reply;
  };
  socket.on('data', (piece) => {
    try {
      const reply = take(piece);
      if (reply) settle?.resolve(reply);
    } catch (failure) {
      settle?.reject(failure);
    }
  });
  socket.on('error', (failure) => settle?.reject(failure));
  socket.on('close', () => settle?.reject(new Error('the connection was closed')));
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
};
