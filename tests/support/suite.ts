import { type Context, suite as uvuSuite } from 'uvu';
import { recordFailedCase } from './failed-cases.ts';
import { firstLineOf } from './suite-outcome.ts';
import { withTestimony } from './witnesses.ts';

/** A test suite that runs its cases and reports their outcome. */

type Hook = () => Promise<void> | void;

export type Suite = {
  (name: string, body: () => Promise<void> | void): void;
  before(hook: Hook): void;
  beforeEach(hook: Hook): void;
  after(hook: Hook): void;
  /** Declares a case that cannot run here, and says aloud why. */
  skipped(name: string, reason: string): void;
  run(): void;
};

/**
 * A uvu suite whose set-up cannot fail in silence: uvu counts a suite with a throwing `before` as passed, so a failure
 * there is kept and thrown again in every case; a failing clean-up becomes a failing last case.
 */
export const suite = (title: string): Suite => {
  const inner = uvuSuite<Context>(title);
  const set: {
    failure?: unknown;
    cases: number;
    skipped: number;
    readonly beforeEach: Hook[];
    readonly after: Hook[];
    /** Whether something runs before the cases. */
    mayOpen: boolean;
  } = { cases: 0, skipped: 0, beforeEach: [], after: [], mayOpen: false };
  const declare = (name: string, body: () => Promise<void>) =>
    inner(name, async () => {
      try {
        await body();
      } catch (failure) {
        recordFailedCase({ title: `${title}: ${name}`, error: firstLineOf(failure) });
        throw await withTestimony(failure);
      }
    });
  const outer = (name: string, body: () => Promise<void> | void) => {
    set.cases += 1;
    declare(name, async () => {
      if ('failure' in set) throw set.failure;
      for (const hook of set.beforeEach) await hook();
      await body();
    });
  };
  return Object.assign(outer, {
    before: (hook: Hook) => {
      set.mayOpen = true;
      inner.before(async () => {
        try {
          await hook();
        } catch (failure) {
          set.failure = failure;
        }
      });
    },
    beforeEach: (hook: Hook) => set.beforeEach.push(hook),
    after: (hook: Hook) => set.after.push(hook),
    skipped: (name: string, reason: string) => {
      console.log(`SKIPPED ${title}: ${name} (${reason})`);
      set.skipped += 1;
      inner.skip();
    },
    run: () => {
      if (set.cases + set.skipped === 0) throw new Error(`the suite "${title}" has no cases`);
      // What is opened before the first case often says only then how it is closed.
      if (set.after.length > 0 || set.mayOpen) {
        declare('cleans up', async () => {
          const failures: unknown[] = [];
          for (const hook of set.after) {
            // What one hook could not do keeps no other from closing what is its own.
            await (async () => hook())().catch((failure: unknown) => failures.push(failure));
          }
          if (failures.length > 0) throw failures[0];
        });
      }
      inner.run();
    },
  });
};
