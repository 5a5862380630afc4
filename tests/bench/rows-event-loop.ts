import { type Attacks, type HeldService, sendAll } from '../support/loop-attacks.ts';
import { LOOP_SETS, openLoopStage } from '../support/loop-sets.ts';
import type { Service } from '../support/service.ts';
import { openWideStage, WIDE_LOOP_SETS } from '../support/wide-loop-sets.ts';
import { withOwnStore } from './own-store.ts';
import type { Result, Stand } from './stand.ts';

/** How long requests block the main thread, whatever they ask for. */

const MOST_MS = 50;
/** Garbage collection holds up one try; what really blocks holds up each. */
const TRIES = 3;

type Hold = { readonly what: string; readonly ms: number };

const holdOf = async (held: HeldService, attacks: Attacks): Promise<Hold> => {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < TRIES && ms > MOST_MS; round += 1) {
    await held.longestMs();
    await sendAll(held, attacks);
    ms = Math.min(ms, await held.longestMs());
  }
  return { what: attacks[0], ms };
};

type AttackSets<Stage> = readonly (readonly [string, (stage: Stage) => Promise<readonly Attacks[]>])[];

const holdsOf = async <Stage extends { readonly held: HeldService }>(
  stand: Stand,
  stage: Stage,
  sets: AttackSets<Stage>,
): Promise<Hold[]> => {
  const holds: Hold[] = [];
  for (const [title, attacksOf] of sets) {
    stand.say(`attacking with ${title}`);
    for (const attacks of await attacksOf(stage)) holds.push(await holdOf(stage.held, attacks));
  }
  return holds;
};

const measureNarrow = async (stand: Stand, service: Service): Promise<Hold[]> => {
  const stage = await openLoopStage(service);
  try {
    return await holdsOf(stand, stage, LOOP_SETS);
  } finally {
    await stage.held.close();
  }
};

const measureWide = async (stand: Stand, service: Service): Promise<Hold[]> => {
  const stage = await openWideStage(service);
  try {
    return await holdsOf(stand, stage, WIDE_LOOP_SETS);
  } finally {
    await stage.close();
  }
};

const TOLD = 3;

/** Sends the worst sensible input to every route with a body and to every expensive parameter, on a store of its own. */
export const measureEventLoop = async (stand: Stand): Promise<Result> => {
  const holds = await withOwnStore(stand, async (service) => [
    ...(await measureNarrow(stand, service)),
    ...(await measureWide(stand, service)),
  ]);
  const longest = [...holds].sort((one, other) => other.ms - one.ms);
  const told = longest.slice(0, TOLD).map(({ what, ms }) => `${what} ${ms.toFixed(0)} ms`);
  const most = longest[0]?.ms ?? Number.NaN;
  return {
    row: 'event-loop',
    work: `longest turn of the event loop, ${holds.length} sets of requests`,
    raw: '',
    service: told.join(', '),
    reached: `${most.toFixed(0)} ms`,
    target: `< ${MOST_MS} ms`,
    ok: most < MOST_MS,
    figures: { holds: longest },
  };
};
