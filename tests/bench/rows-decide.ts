import { decisionsPerSecond } from '../support/seeded-rights.ts';
import { median } from './measure.ts';
import type { Result } from './stand.ts';

const CONDITIONAL = 50;
const DECISIONS = 500_000;
const AIM = 200_000;
const ROUNDS = 5;

/** Deciding needs neither the service nor the database: what is measured is one core. */
export const measureDecisions = async (): Promise<Result> => {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await decisionsPerSecond(CONDITIONAL, DECISIONS));
  const perSecond = median(rounds);
  return {
    row: 'decisions',
    work: `decisions with ${CONDITIONAL} conditional policies, one core`,
    raw: '',
    service: `${perSecond.toFixed(0)}/s`,
    reached: `${perSecond.toFixed(0)}/s`,
    target: `≥ ${AIM}/s`,
    ok: perSecond >= AIM,
    figures: { perSecond, rounds: rounds.map(Math.round) },
  };
};
