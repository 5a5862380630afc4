import { plantSchema, type WideWrite, writeBesideGiant } from '../support/beside-giant.ts';
import type { Service } from '../support/service.ts';
import { withOwnStore } from './own-store.ts';
import type { Result, Stand } from './stand.ts';

/** How long small writes wait beside one that changes a table of 20,000 columns below the same schema. */

const MOST_MS = 200;
/** A giant that holds others up does so every time. */
const ROUNDS = 3;

const longestWait = async (service: Service, how: WideWrite): Promise<number> => {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { waitsMs } = await writeBesideGiant(service, await plantSchema(service), how);
    rounds.push(Math.max(...waitsMs));
  }
  return Math.min(...rounds);
};

export const measureWideWrites = async (stand: Stand): Promise<Result> => {
  const [createMs, patchMs] = await withOwnStore(
    stand,
    async (service) => [await longestWait(service, 'create'), await longestWait(service, 'patch')] as const,
  );
  return {
    row: 'wide-writes',
    work: 'longest small write beside 20,000 columns that are created / of which 2,000 are patched',
    raw: '',
    service: '',
    reached: `${createMs.toFixed(0)} / ${patchMs.toFixed(0)} ms`,
    target: `< ${MOST_MS} ms`,
    ok: createMs < MOST_MS && patchMs < MOST_MS,
    figures: { createMs, patchMs },
  };
};
