import * as assert from 'node:assert/strict';
import { type Profiler, Session } from 'node:inspector';

/**
 * Counts the function calls that work makes. Unlike a duration, the count does not depend on the machine. Loops without
 * calls and what the engine does by itself, such as matching patterns, are not counted: `npm run bench` times those.
 */

/** Which scripts count, by address. */
const EVERY_SCRIPT = /^file:/;

type Coverage = readonly Profiler.ScriptCoverage[];

/** The inspector answers within `post`. */
const takeCoverage = (session: Session): Coverage => {
  let taken: Coverage = [];
  session.post('Profiler.takePreciseCoverage', (failure, answer) => {
    if (failure) throw failure;
    taken = answer.result;
  });
  return taken;
};

const openCounter = () => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    count: (scripts: RegExp): number =>
      takeCoverage(session)
        .filter(({ url }) => scripts.test(url))
        .flatMap(({ functions }) => functions)
        .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
    close: () => {
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
};

/** How many functions of the project and its packages synchronous work calls. */
export const countCalls = (work: () => unknown): number => {
  const counter = openCounter();
  try {
    work();
    return counter.count(EVERY_SCRIPT);
  } finally {
    counter.close();
  }
};

/** How many functions of some scripts are called in this thread until work is over, whoever calls them. */
export const countCallsOf = async (scripts: RegExp, work: () => Promise<unknown>): Promise<number> => {
  const counter = openCounter();
  try {
    await work();
    return counter.count(scripts);
  } finally {
    counter.close();
  }
};

const TIMES = 4;
/** Four for linear work, somewhat more for sorting, sixteen for quadratic work. */
const MOST_GROWTH = 6;

/** Fails when work grows much faster than the size of its input. `prepare` makes the input, which does not count. */
export const expectLinearCalls = <Input>(
  size: number,
  prepare: (size: number) => Input,
  work: (input: Input) => unknown,
  message = '',
): void => {
  const [small, large] = [prepare(size), prepare(size * TIMES)];
  // The first run loads what the code loads only once.
  work(small);
  const [few, many] = [countCalls(() => work(small)), countCalls(() => work(large))];
  assert.ok(
    many <= few * MOST_GROWTH,
    `${message} ${few} calls became ${many} when the input was ${TIMES} times as large`,
  );
};
