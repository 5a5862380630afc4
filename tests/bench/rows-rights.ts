import { median, type Rate, takeTurns } from './measure.ts';
import { sampleIds } from './rows-rate.ts';
import { personToken, type Result, type Stand, target } from './stand.ts';

const CALLERS = 64;
/** What judging may cost. */
const AT_LEAST = 0.95;

const perSecondOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));

/** How much slower reads are for those whom rules judge than for those whom no rule does. */
export const measureRights = async (stand: Stand): Promise<Result> => {
  // The policies of a fresh store judge people, and not administrators.
  const token = await personToken(stand, 'measured_reader');
  const paths = (await sampleIds(stand)).map((id) => `/v1/tables/${id}`);
  const load = { ...target(stand), paths, callers: CALLERS, seconds: stand.options.seconds };
  const { a, b } = await takeTurns(
    stand.options.rounds,
    () => stand.load.run('getPaths', load),
    () => stand.load.run('getPaths', { ...load, token }),
  );
  const [unjudged, judged] = [perSecondOf(a), perSecondOf(b)];
  const ratio = judged / unjudged;
  return {
    row: 'rights',
    work: `GET by id, ${CALLERS} callers, judged beside not judged`,
    raw: '',
    service: `${judged.toFixed(0)} beside ${unjudged.toFixed(0)}/s`,
    reached: `${ratio.toFixed(2)} ×`,
    target: `≥ ${AT_LEAST} ×`,
    ok: ratio >= AT_LEAST,
    figures: { ratio, judged: b, unjudged: a },
  };
};
