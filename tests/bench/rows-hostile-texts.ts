import {
  HOSTILE_LINKS,
  HOSTILE_NAMES,
  HOSTILE_PATTERNS,
  HOSTILE_QUERIES,
  HOSTILE_TAGS,
} from '../support/hostile-texts.ts';
import type { Result } from './stand.ts';

const SETS = [HOSTILE_NAMES, HOSTILE_TAGS, HOSTILE_LINKS, HOSTILE_QUERIES, HOSTILE_PATTERNS];

/** Texts that are made to take long. Reading them needs neither the service nor the database. */
export const measureHostileTexts = async (): Promise<Result> => {
  const measured = SETS.map(({ what, mostMs, texts, read }) => {
    const started = performance.now();
    for (const text of texts) {
      try {
        read(text);
      } catch {
        // Most of them are refused.
      }
    }
    return { what, mostMs, ms: performance.now() - started };
  });
  const list = (text: (one: (typeof measured)[number]) => string) => measured.map(text).join(', ');
  return {
    row: 'hostile-texts',
    work: 'read texts that are made to take long',
    raw: '',
    service: '',
    reached: list(({ what, ms }) => `${what} ${ms.toFixed(0)} ms`),
    target: list(({ mostMs }) => `< ${mostMs} ms`),
    ok: measured.every(({ ms, mostMs }) => ms < mostMs),
    figures: { measured },
  };
};
