import { SPARE_SCHEMA } from './dataset.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import type { RowName } from './options.ts';
import { processorDuring, type Result, type Stand, target } from './stand.ts';

type RateRow = {
  readonly row: RowName;
  readonly work: string;
  readonly callers: number;
  /** The aim: so many times the raw rate, or so many calls a second. */
  readonly atLeast: { readonly ratio: number } | { readonly perSecond: number };
  readonly raw: (seconds: number) => Promise<Rate>;
  readonly service: (seconds: number) => Promise<Rate>;
};

type Turn = { readonly rate: Rate; readonly spent: Readonly<Record<string, number>> };

const describeTurns = (turns: readonly Turn[]) => {
  const rates = turns.map(({ rate }) => rate);
  const calls = rates.map(({ perSecond }) => perSecond);
  const [{ spent } = { spent: {} }] = turns.slice(-1);
  return {
    perSecond: median(calls),
    rounds: calls.map(Math.round),
    medianMs: median(rates.map(({ medianMs }) => medianMs)),
    p99Ms: median(rates.map(({ p99Ms }) => p99Ms)),
    processorMsPerCall: Object.fromEntries(
      Object.keys(spent).map((name) => {
        const perCall = turns.map((turn) => ((turn.spent[name] ?? 0) * 1000) / turn.rate.calls);
        return [name, Number(median(perCall).toFixed(3))];
      }),
    ),
  };
};

type Side = ReturnType<typeof describeTurns>;

const sideText = ({ perSecond, medianMs, p99Ms }: Side): string =>
  `${perSecond.toFixed(0)}/s (${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)})`;

/** Both sides by turns, and what each call costs in time of processors. */
export const measureRate = async (stand: Stand, row: RateRow): Promise<Result> => {
  const { seconds, rounds } = stand.options;
  const { pid, databasePid } = stand.service;
  const turn = async (pids: Record<string, number>, measure: (seconds: number) => Promise<Rate>): Promise<Turn> => {
    const { result, spent } = await processorDuring({ ...pids, database: databasePid }, () => measure(seconds));
    return { rate: result, spent };
  };
  const { a, b } = await takeTurns(
    rounds,
    () => turn({ script: stand.raw.pid }, row.raw),
    () => turn({ service: pid, load: stand.load.pid }, row.service),
  );
  const raw = describeTurns(a);
  const service = describeTurns(b);
  const ratio = service.perSecond / raw.perSecond;
  const aim = row.atLeast;
  return {
    row: row.row,
    work: row.work,
    raw: sideText(raw),
    service: sideText(service),
    reached: `${ratio.toFixed(2)} × raw`,
    target: 'ratio' in aim ? `≥ ${aim.ratio} × raw` : `≥ ${aim.perSecond}/s`,
    ok: 'ratio' in aim ? ratio >= aim.ratio : service.perSecond >= aim.perSecond,
    figures: { callers: row.callers, ratio, raw, service },
  };
};

/** Enough records that most are read only once per round. */
const SAMPLE = 20_000;

/** Ids of tables from all over the store, in an order that has nothing to do with where they lie in it. */
export const sampleIds = async (stand: Stand): Promise<string[]> => {
  const text = 'MATCH (n:LiveTable) WITH n.id AS id WHERE rand() < $share RETURN id ORDER BY id';
  const rows = await stand.raw.run('ask', { text, params: { share: SAMPLE / stand.options.tables } });
  return rows.map((row) => String(row['id']));
};

export const measureGet = async (stand: Stand, callers: 1 | 64): Promise<Result> => {
  const ids = await sampleIds(stand);
  const paths = ids.map((id) => `/v1/tables/${id}`);
  return measureRate(stand, {
    row: `get-${callers}`,
    work: `GET by id, ${callers} caller${callers === 1 ? '' : 's'}`,
    callers,
    atLeast: { ratio: callers === 1 ? 0.6 : 4 },
    raw: (seconds) => stand.raw.run('read', { ids, callers, seconds }),
    service: (seconds) => stand.load.run('getPaths', { ...target(stand), paths, callers, seconds }),
  });
};

const POST_AIMS = { 1: 200, 16: 600, 64: 1000 } as const;

export const measurePost = (stand: Stand, callers: 1 | 16 | 64): Promise<Result> => {
  let turn = 0;
  const prefix = (side: string) => {
    turn += 1;
    return `${side}_${callers}_${turn}`;
  };
  return measureRate(stand, {
    row: `post-${callers}`,
    work: `POST table with 10 columns, ${callers} caller${callers === 1 ? '' : 's'}`,
    callers,
    atLeast: { perSecond: POST_AIMS[callers] },
    raw: (seconds) => stand.raw.run('write', { prefix: prefix('raw'), callers, seconds }),
    service: (seconds) =>
      stand.load.run('postTables', {
        ...target(stand),
        prefix: prefix('posted'),
        schema: SPARE_SCHEMA,
        callers,
        seconds,
      }),
  });
};
