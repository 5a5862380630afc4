/** Creates a source of whole numbers below a bound that repeats for the same seed, so that a failure can be repeated. */
export const createRandom = (seed: number) => {
  let state = seed;
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
};
