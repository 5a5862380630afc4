import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A proxy whose address stays the same while the server behind it stops and starts, and which can drop the server's
 * responses.
 */
export type TcpProxy = {
  readonly port: number;
  setTarget(uri: string | undefined): void;
  /**
   * Lets the next commit through to the server and its answer to nobody; with a text, the next on a connection that said
   * it. Answers how many answers were kept back.
   */
  loseAnswer(text?: string): () => number;
  close(): void;
};

/** A commit as the driver sends it: one message of its own, without members. */
const COMMIT = Buffer.from('0002b0120000', 'hex');

export const openTcpProxy = async (): Promise<TcpProxy> => {
  let target: number | undefined;
  let loses = false;
  let wanted = '';
  let lost = 0;
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const door = createServer((caller) => {
    if (target === undefined) return void caller.destroy();
    const server = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      if (socket === caller) socket.pipe(other);
    }
    let keepsBack = false;
    let hasSaid = false;
    caller.on('data', (sent) => {
      if (!loses) return;
      hasSaid ||= sent.includes(wanted);
      if (!hasSaid || !sent.includes(COMMIT)) return;
      loses = false;
      keepsBack = true;
    });
    server.on('data', (answer) => {
      if (keepsBack) {
        lost += 1;
        caller.destroy();
      } else caller.write(answer);
    });
    server.on('end', () => caller.end());
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    port: (door.address() as AddressInfo).port,
    setTarget: (uri) => {
      target = uri === undefined ? undefined : Number(new URL(uri).port);
      if (target === undefined) cut();
    },
    loseAnswer: (text = '') => {
      wanted = text;
      loses = true;
      const before = lost;
      return () => lost - before;
    },
    close: () => {
      cut();
      door.close();
    },
  };
};
