import { median, takeTurns } from './measure.ts';
import type { RowName } from './options.ts';
import { type Result, type Stand, target } from './stand.ts';

/** What rows about questions share: each is asked by one caller, beside a statement that reads what it is made from. */

export type Question = {
  readonly path: string;
  /** What is sent; without it, the question is its path. */
  readonly body?: object;
  readonly raw: { readonly text: string; readonly params?: Readonly<Record<string, unknown>> };
};

/** The contract's aim for an answer. */
const AT_MOST_MS = 300;

const measureQuestion = async (stand: Stand, { path, body, raw: { text, params = {} } }: Question) => {
  const { seconds, rounds } = stand.options;
  const load = { ...target(stand), callers: 1, seconds };
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text, params: [params], callers: 1, seconds }),
    () =>
      body === undefined
        ? stand.load.run('getPaths', { ...load, paths: [path] })
        : stand.load.run('postBody', { ...load, path, body }),
  );
  const [rawMs = 0, p95Ms = 0] = [a, b].map((rates) => median(rates.map((rate) => rate.p95Ms)));
  return { path, rawMs, p95Ms };
};

/** Measures questions one after the other; `figures` are those that the row has besides. */
export const measureQuestions = async (
  stand: Stand,
  { row, work }: { readonly row: RowName; readonly work: string },
  questions: readonly Question[],
  figures: Readonly<Record<string, unknown>> = {},
): Promise<Result> => {
  const cases: Awaited<ReturnType<typeof measureQuestion>>[] = [];
  for (const question of questions) cases.push(await measureQuestion(stand, question));
  const list = (show: (one: (typeof cases)[number]) => string) => cases.map(show).join(', ');
  return {
    row,
    work: `${work}, p95`,
    raw: `${list(({ rawMs }) => rawMs.toFixed(0))} ms`,
    service: `${list(({ p95Ms }) => p95Ms.toFixed(0))} ms`,
    reached: `${list(({ p95Ms, rawMs }) => (p95Ms / rawMs).toFixed(2))} × raw`,
    target: `≤ ${AT_MOST_MS} ms`,
    ok: cases.every(({ p95Ms }) => p95Ms <= AT_MOST_MS),
    figures: { ...figures, cases },
  };
};

/** Prepares a question by a request to the service; what is there from an earlier run may be there. */
export const prepareBy = async (stand: Stand, method: 'POST' | 'PATCH', path: string, body: unknown): Promise<void> => {
  const { address, token } = target(stand);
  const mediaType = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
  const headers = { authorization: `Bearer ${token}`, 'content-type': mediaType };
  const reply = await fetch(`${address}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!reply.ok && reply.status !== 409) throw new Error(`${path}: ${reply.status}: ${await reply.text()}`);
};
