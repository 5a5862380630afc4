import { get } from 'node:http';
import { median } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

const TURNS = 30;
const WARMING = 10;
const AT_MOST_MS = 200;

/** Listens to all events; `hear` resolves when one that has this text has come. Events of other work may come between. */
const listen = async ({ service: { address, token } }: Stand) => {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  let heard = '';
  let check = (): void => {};
  const request = get(`${address}/v1/events/stream?scope=events`, { headers, agent: false });
  await new Promise<void>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`the service answered ${response.statusCode}`));
      // The first comment says that the stream is open.
      response.once('data', () => resolve());
      response
        .on('error', () => {})
        .on('data', (piece: Buffer) => {
          heard += piece.toString();
          check();
        });
    });
  });
  const hear = (text: string) =>
    new Promise<void>((resolve) => {
      check = () => {
        if (!heard.includes(text)) return;
        heard = '';
        resolve();
      };
    });
  return { hear, close: () => request.destroy() };
};

/** From the answer to a change until somebody who listens hears of it. */
export const measureEventLag = async (stand: Stand): Promise<Result> => {
  const { hear, close } = await listen(stand);
  const lags: number[] = [];
  for (let turn = 0; turn < WARMING + TURNS; turn += 1) {
    const name = `lag_${Date.now()}_${turn}`;
    const coming = hear(`"${name}"`).then(() => performance.now());
    const body = { name, description: 'Told of.', domainType: 'Aggregate' };
    await stand.load.run('putOne', { ...target(stand), path: '/v1/domains', body });
    const answered = performance.now();
    lags.push(Math.max(0, (await coming) - answered));
  }
  close();
  const medianMs = median(lags.slice(WARMING));
  return {
    row: 'event-lag',
    work: 'from the answer to a change until a listener hears of it',
    raw: '',
    service: `${medianMs.toFixed(0)} ms`,
    reached: `${medianMs.toFixed(0)} ms`,
    target: `≤ ${AT_MOST_MS} ms`,
    ok: medianMs <= AT_MOST_MS,
    figures: { medianMs, lags: lags.map(Math.round) },
  };
};
