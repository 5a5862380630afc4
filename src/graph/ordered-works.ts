/** Work on one of several things that works share, such as a record. */
export type OrderedWork = { readonly id: string; readonly run: () => Promise<void> };

/** Runs some works one after the other, each after those that were given earlier for the same thing. */
export type InOrder = (works: readonly OrderedWork[]) => Promise<void>;

/**
 * Works that are given together take their places at once: a long list that reaches a thing last still comes before a short
 * one that was given later. Each waits for works that took their places earlier only, so none waits for another in a circle.
 */
export const createOrder = (): InOrder => {
  const last = new Map<string, Promise<void>>();
  return async (works) => {
    let before = Promise.resolve();
    for (const { id, run } of works) {
      const earlier = (last.get(id) ?? Promise.resolve()).catch(() => {});
      before = Promise.all([before, earlier]).then(run);
      last.set(id, before);
    }
    await before;
  };
};
