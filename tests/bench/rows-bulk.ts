import { BATCH } from './dataset.ts';
import { median } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

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

export const loadOnly = async (stand: Stand): Promise<void> => {
  await load(stand, 0);
};

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
