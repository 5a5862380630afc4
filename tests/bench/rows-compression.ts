import { MIDDLE, someOf } from './lineage-graph.ts';
import { type Layered, tableAt } from './lineage-stand.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

/** Large answers to callers elsewhere who accept compressed ones, beside the same answers to those who do not. */

const CALLERS = 16;

/** A proxy adds it to what comes from another machine; programs on the machine of the service get plain answers. */
const ELSEWHERE = { 'X-Forwarded-For': '203.0.113.7' };
const PLAIN = { ...ELSEWHERE, 'Accept-Encoding': 'identity' };
const COMPRESSED = { ...ELSEWHERE, 'Accept-Encoding': 'br, gzip' };

/** The aim: what a compressed answer has of the bytes of a plain one. */
const BYTES_AT_MOST = 0.25;

const rateOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));

const measureCase = async (stand: Stand, name: string, path: string) => {
  const { seconds, rounds } = stand.options;
  const weigh = (headers: Readonly<Record<string, string>>) =>
    stand.load.run('weighAnswer', { ...target(stand), headers, path });
  const ask = (headers: Readonly<Record<string, string>>) => () =>
    stand.load.run('getPaths', { ...target(stand), headers, paths: [path], callers: CALLERS, seconds });
  const [plainBytes, bytes] = [await weigh(PLAIN), await weigh(COMPRESSED)];
  const { a, b } = await takeTurns(rounds, ask(PLAIN), ask(COMPRESSED));
  return { name, plainBytes, bytes, plainPerSecond: rateOf(a), perSecond: rateOf(b) };
};

/** A page of a list and a graph, plain and compressed in turns. */
export const measureCompression = async (stand: Stand, layered: Layered): Promise<Result> => {
  const [root = 0] = someOf(layered.width, MIDDLE, 1, 0);
  const { id } = tableAt(layered, root);
  const cases = [
    await measureCase(stand, 'page of 100 tables with columns', '/v1/tables?limit=100&fields=columns'),
    await measureCase(stand, 'lineage at depth 10', `/v1/lineage/table/${id}?upstreamDepth=10&downstreamDepth=10`),
  ];
  const list = (show: (one: (typeof cases)[number]) => string) => cases.map(show).join(' / ');
  const kb = (bytes: number): string => (bytes / 1000).toFixed(0);
  return {
    row: 'compression',
    work: `${list(({ name, plainBytes }) => `${name}, ${kb(plainBytes)} KB`)}, compressed, ${CALLERS} callers`,
    raw: `plain ${list(({ plainPerSecond }) => plainPerSecond.toFixed(0))}/s`,
    service: `${list(({ perSecond, bytes }) => `${perSecond.toFixed(0)}/s, ${kb(bytes)} KB`)}`,
    reached: list((one) => `${(one.perSecond / one.plainPerSecond).toFixed(2)} × plain`),
    target: `≤ ${BYTES_AT_MOST} × bytes`,
    ok: cases.every(({ bytes, plainBytes }) => bytes <= BYTES_AT_MOST * plainBytes),
    figures: { cases },
  };
};
