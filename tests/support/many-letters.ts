const THOUSANDS = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');

/** A text that is the same for each number, of some letters in no order; by default there are thousands of them. */
export const manyLetters = (seed: number, length: number, letters = THOUSANDS): string => {
  const all = [...letters];
  let state = seed + 1;
  return Array.from({ length }, () => {
    // The remainders of a linear generator; the lowest bits repeat too soon.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return all[(state >>> 8) % all.length];
  }).join('');
};
