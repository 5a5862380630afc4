/** Which words of a text were taken out, and which were put in. */

export type WordRun = { readonly change: 'same' | 'removed' | 'added'; readonly text: string };

/** Beyond this many comparisons the texts are shown as a whole: they would take longer than anybody waits. */
const MOST_COMPARISONS = 4_000_000;

const wordsOf = (text: string): readonly string[] => text.match(/\s+|[^\s\p{P}]+|\p{P}/gu) ?? [];

/** The length of the longest common run of words from each pair of positions on. */
const measure = (old: readonly string[], fresh: readonly string[]): readonly Uint32Array[] => {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const [row, below] = [lengths[i], lengths[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      row[j] = old[i] === fresh[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return lengths;
};

const joinRuns = (runs: readonly WordRun[]): readonly WordRun[] => {
  const joined: WordRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.change === run.change) joined[joined.length - 1] = { ...last, text: last.text + run.text };
    else joined.push(run);
  }
  return joined;
};

export const diffWords = (before: string, after: string): readonly WordRun[] => {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  const whole: readonly WordRun[] = [
    { change: 'removed', text: before },
    { change: 'added', text: after },
  ];
  if (old.length * fresh.length > MOST_COMPARISONS) return whole.filter(({ text }) => text !== '');
  const lengths = measure(old, fresh);
  const runs: WordRun[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [was, is] = [old[i], fresh[j]];
    const skipOld = lengths[i + 1]?.[j] ?? -1;
    const skipFresh = lengths[i]?.[j + 1] ?? -1;
    if (was !== undefined && was === is) runs.push({ change: 'same', text: was });
    else if (was !== undefined && (is === undefined || skipOld >= skipFresh))
      runs.push({ change: 'removed', text: was });
    else runs.push({ change: 'added', text: is ?? '' });
    const change = runs.at(-1)?.change;
    if (change !== 'added') i += 1;
    if (change !== 'removed') j += 1;
  }
  return joinRuns(runs);
};
