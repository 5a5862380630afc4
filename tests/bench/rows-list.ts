import { encodeCursor } from '../../src/model/cursor.ts';
import type { Streamed } from './load-worker.ts';
import { median, takeTurns } from './measure.ts';
import { peakDuring, residentMb } from './processes.ts';
import { type Result, type Stand, target } from './stand.ts';

const PAGE = 100;
const DEPTH_AT_MOST = 1.5;

const PLACE = `
MATCH (n:Table)
WHERE n.deleted = false AND n.sortKey > ''
WITH n ORDER BY n.deleted, n.sortKey SKIP toInteger($skip) LIMIT 1
RETURN n.sortKey AS sortKey`;

/** Where the last page of a list of all tables begins. */
const deepCursor = async (stand: Stand): Promise<string> => {
  const skip = stand.options.tables - PAGE - 1;
  const [row] = await stand.raw.run('ask', { text: PLACE, params: { skip } });
  return encodeCursor(String(row?.['sortKey']));
};

/** The first page of a list beside one at the depth of the whole data set. */
export const measureDepth = async (stand: Stand): Promise<Result> => {
  const { seconds, rounds, tables } = stand.options;
  const page = (path: string) => () =>
    stand.load.run('getPaths', { ...target(stand), paths: [path], callers: 1, seconds });
  const first = `/v1/tables?limit=${PAGE}`;
  const { a, b } = await takeTurns(rounds, page(first), page(`${first}&after=${await deepCursor(stand)}`));
  const firstMs = median(a.map(({ medianMs }) => medianMs));
  const deepMs = median(b.map(({ medianMs }) => medianMs));
  const ratio = deepMs / firstMs;
  return {
    row: 'list-depth',
    work: `list page of ${PAGE} at depth ${tables} vs. first page`,
    raw: `first ${firstMs.toFixed(1)} ms`,
    service: `deep ${deepMs.toFixed(1)} ms`,
    reached: `${ratio.toFixed(2)} × first`,
    target: `≤ ${DEPTH_AT_MOST} × first`,
    ok: ratio <= DEPTH_AT_MOST,
    figures: { ratio, firstMs, deepMs },
  };
};

const GROWTH_MB = 150;
const FIRST_BYTE_MS = 100;
const STREAMS = 3;

/** Short calls of the same kind first, so that neither plans nor compiled code are measured. */
const warmUp = async (stand: Stand): Promise<void> => {
  const paths = ['/v1/tables?limit=100'];
  await stand.load.run('getPaths', { ...target(stand), paths, callers: 1, seconds: 1 });
  await stand.load.run('stream', { ...target(stand), path: '/v1/tables?limit=2000' });
};

/** Reads the longest list there is, several times over, and watches the service's memory. */
export const measureStream = async (stand: Stand): Promise<Result> => {
  await warmUp(stand);
  const { pid } = stand.service;
  const before = await residentMb(pid);
  const { peakMb, result } = await peakDuring(pid, async () => {
    const streams: Streamed[] = [];
    for (let round = 0; round < STREAMS; round += 1) {
      streams.push(await stand.load.run('stream', { ...target(stand), path: '/v1/tables?limit=1000000' }));
    }
    return streams;
  });
  const growthMb = peakMb - before;
  const firstByteMs = median(result.map((stream) => stream.firstByteMs));
  const seconds = median(result.map((stream) => stream.seconds));
  return {
    row: 'list-memory',
    work: `list limit=1000000, ${result[0]?.megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s`,
    raw: '',
    service: `${before.toFixed(0)} → ${peakMb.toFixed(0)} MB`,
    reached: `+${growthMb.toFixed(0)} MB, first byte ${firstByteMs.toFixed(0)} ms`,
    target: `< ${GROWTH_MB} MB, < ${FIRST_BYTE_MS} ms`,
    ok: growthMb < GROWTH_MB && firstByteMs < FIRST_BYTE_MS,
    figures: { beforeMb: before, peakMb, growthMb, streams: result },
  };
};
