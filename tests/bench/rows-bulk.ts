import { BATCH, BULK_KINDS, type BulkKind, kindServices } from './dataset.ts';
import { median } from './measure.ts';
import { fillOnce, type Result, type Stand, target } from './stand.ts';

/** How many batches the raw writer writes while the data set is loaded. */
const RAW_BATCHES = 20;
const AT_LEAST = 0.6;

const rowsPerSecond = (tookMs: readonly number[]): number => (BATCH * 1000) / median(tookMs);

/** Loads the data set. The raw writer has its turn every so often, so that both meet a store of every size. */
const load = async (stand: Stand, rawBatches: number) => {
  const { tables } = stand.options;
  const batches = tables / BATCH;
  const every = Math.max(1, Math.floor(batches / rawBatches));
  const raw: number[] = [];
  const service: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    if (rawBatches > 0 && batch % every === 0) {
      raw.push(await stand.raw.run('writeBatch', { prefix: `bulk_${batch}`, rows: BATCH }));
    }
    service.push(await stand.load.run('putBatch', { ...target(stand), batch, tables }));
    if ((batch + 1) % 10 === 0) stand.say(`loaded ${(batch + 1) * BATCH} of ${tables} tables`);
  }
  return { raw, service };
};

export const loadOnly = (stand: Stand): Promise<void> =>
  fillOnce(stand, 'tables', async () => {
    await load(stand, 0);
  });

/** The load is the measurement. */
export const measureBulk = async (stand: Stand): Promise<Result> => {
  const took = await load(stand, RAW_BATCHES);
  const raw = rowsPerSecond(took.raw);
  const service = rowsPerSecond(took.service);
  const ratio = service / raw;
  const overall = (took.service.length * BATCH * 1000) / took.service.reduce((sum, ms) => sum + ms, 0);
  return {
    row: 'bulk',
    work: `PUT bulk, ${BATCH} tables × 10 columns`,
    raw: `${raw.toFixed(0)} tables/s`,
    service: `${service.toFixed(0)} tables/s (${overall.toFixed(0)} over the whole load)`,
    reached: `${ratio.toFixed(2)} × raw`,
    target: `≥ ${AT_LEAST} × raw`,
    ok: ratio >= AT_LEAST,
    figures: {
      ratio,
      rawPerSecond: raw,
      servicePerSecond: service,
      overallPerSecond: overall,
      rawMs: took.raw.map(Math.round),
      serviceMs: took.service.map(Math.round),
    },
  };
};

const SAME_AT_LEAST = 3;
const SAME_BATCHES = 10;

/** The first batches once more. New ones are created beside them, so that both meet the same store. */
export const measureSame = async (stand: Stand): Promise<Result> => {
  const { tables } = stand.options;
  const batches = Math.min(SAME_BATCHES, tables / BATCH);
  const same: number[] = [];
  const fresh: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    same.push(await stand.load.run('putBatch', { ...target(stand), batch, tables }));
    fresh.push(await stand.load.run('putSpare', { ...target(stand), batch }));
  }
  const ratio = median(fresh) / median(same);
  return {
    row: 'bulk-same',
    work: `PUT bulk, ${BATCH} unchanged tables beside new ones`,
    raw: `new: ${rowsPerSecond(fresh).toFixed(0)} tables/s`,
    service: `${rowsPerSecond(same).toFixed(0)} tables/s`,
    reached: `${ratio.toFixed(2)} × new`,
    target: `≥ ${SAME_AT_LEAST} × new`,
    ok: ratio >= SAME_AT_LEAST,
    figures: { ratio, sameMs: same.map(Math.round), freshMs: fresh.map(Math.round) },
  };
};

const KIND_BATCHES = 8;
const KIND_AT_LEAST = 1000;

/** Containers, pipelines and services in bulk, in rows a second. The first batch of each warms up what it is made by. */
export const measureKinds = async (stand: Stand): Promise<Result> => {
  for (const { path, body } of kindServices()) await stand.load.run('putOne', { ...target(stand), path, body });
  const rates: Record<string, number> = {};
  for (const kind of Object.keys(BULK_KINDS) as BulkKind[]) {
    const took: number[] = [];
    for (let batch = 0; batch < KIND_BATCHES; batch += 1) {
      took.push(await stand.load.run('putKind', { ...target(stand), kind, batch }));
    }
    rates[kind] = rowsPerSecond(took.slice(1));
  }
  const text = Object.entries(rates).map(([kind, rate]) => `${kind} ${rate.toFixed(0)}/s`);
  return {
    row: 'bulk-kinds',
    work: `PUT bulk, ${BATCH} rows of other kinds`,
    raw: '',
    service: text.join(', '),
    reached: `${Math.min(...Object.values(rates)).toFixed(0)}/s`,
    target: `≥ ${KIND_AT_LEAST}/s`,
    ok: Object.values(rates).every((rate) => rate >= KIND_AT_LEAST),
    figures: rates,
  };
};
