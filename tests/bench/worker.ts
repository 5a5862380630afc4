import { type ChildProcess, fork } from 'node:child_process';

/** What a worker process can be asked to do, by name. Inputs and results travel as messages. */
export type Jobs = { readonly [name: string]: (input: never) => Promise<unknown> };

export type Worker<J extends Jobs> = {
  run<N extends keyof J & string>(name: N, input: Parameters<J[N]>[0]): Promise<Awaited<ReturnType<J[N]>>>;
  readonly pid: number;
  close(): Promise<void>;
};

type Order = { readonly number: number; readonly name: string; readonly input: unknown };
type Reply = { readonly number: number; readonly value?: unknown; readonly failure?: string };

/** Inside the worker: does the jobs it is sent until its parent hangs up. */
export const serveJobs = (jobs: Jobs): void => {
  const find = (name: string) => jobs[name] as ((input: unknown) => Promise<unknown>) | undefined;
  const answer = async ({ number, name, input }: Order): Promise<Reply> => {
    try {
      return { number, value: await find(name)?.(input) };
    } catch (failure) {
      return { number, failure: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure) };
    }
  };
  process.on('message', (order: Order) => void answer(order).then((reply) => process.send?.(reply)));
  // Ctrl-C reaches the whole group; the parent ends its workers itself, after the service.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
};

const listen = (child: ChildProcess, waiting: Map<number, (reply: Reply) => void>): void => {
  child.on('message', (reply: Reply) => {
    waiting.get(reply.number)?.(reply);
    waiting.delete(reply.number);
  });
  child.on('exit', (code, signal) => {
    const failure = `the worker ended with ${signal ?? code} before it answered`;
    for (const [number, settle] of waiting) settle({ number, failure });
    waiting.clear();
  });
};

/** Starts a worker in a process of its own, so that what it spends is not spent by whoever it measures. */
export const startWorker = <J extends Jobs>(script: URL): Worker<J> => {
  const child = fork(script, { execArgv: ['--import', 'tsx'] });
  const waiting = new Map<number, (reply: Reply) => void>();
  listen(child, waiting);
  let last = 0;
  const run = (name: string, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ value, failure }) => (failure === undefined ? resolve(value) : reject(new Error(failure))));
      // Told to nobody, a worker that has gone would end the whole run and leave its service behind.
      child.send({ number: last, name, input } satisfies Order, (failure) => {
        if (failure) reject(failure);
      });
    });
  const close = () =>
    new Promise<void>((resolve) => {
      if (!child.connected) return resolve();
      child.once('exit', () => resolve());
      child.disconnect();
    });
  return { run: run as Worker<J>['run'], pid: child.pid ?? 0, close };
};
