/** What was worked out lately is not worked out again: an answer that may be a little old, by what was asked. */
export type Recent<T> = (asked: string, workOut: () => Promise<T>) => Promise<T>;

export type RecentOptions = { readonly keptMs: number; readonly most: number; readonly now?: () => number };

type Kept<T> = { readonly since: number; readonly answer: Promise<T> };

/** Keeps no more than so many answers, none for longer than it may be old. */
export const createRecent = <T>({ keptMs, most, now = () => performance.now() }: RecentOptions): Recent<T> => {
  const kept = new Map<string, Kept<T>>();
  const workOutAnew = (asked: string, workOut: () => Promise<T>): Promise<T> => {
    const mine: Kept<T> = { since: now(), answer: workOut() };
    kept.delete(asked);
    if (kept.size >= most) kept.delete(kept.keys().next().value ?? '');
    kept.set(asked, mine);
    mine.answer.catch(() => {
      if (kept.get(asked) === mine) kept.delete(asked);
    });
    return mine.answer;
  };
  return (asked, workOut) => {
    const known = kept.get(asked);
    if (!known || now() - known.since >= keptMs) return workOutAnew(asked, workOut);
    // Whoever worked it out may have run out of patience, which says nothing of others.
    return known.answer.catch(() => workOutAnew(asked, workOut));
  };
};
