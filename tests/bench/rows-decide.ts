import { prepareDecisions } from '../support/seeded-rights.ts';
import { median } from './measure.ts';
import type { Result } from './stand.ts';

const CONDITIONAL = 50;
const DECISIONS = 500_000;
const AIM = 200_000;
const ROUNDS = 5;

/** How many decisions a second of processor time brings. */
const decisionsPerSecond = (decide: (times: number) => void): number => {
  decide(DECISIONS / 4);
  const before = process.cpuUsage();
  decide(DECISIONS);
  const { user, system } = process.cpuUsage(before);
  return (DECISIONS * 1_000_000) / (user + system);
};

/** Deciding needs neither the service nor the database: what is measured is one core. */
export const measureDecisions = async (): Promise<Result> => {
  const decide = await prepareDecisions(CONDITIONAL);
  const rounds = Array.from({ length: ROUNDS }, () => decisionsPerSecond(decide));
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
