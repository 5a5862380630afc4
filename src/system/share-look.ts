const SHARED_FOR_MS = 1000;

/**
 * Lets all calls within a second share one look, so that frequent calls of anybody cost nothing. A look that fails is
 * shared like any other.
 */
export const shareLook = <T>(look: () => Promise<T>): (() => Promise<T>) => {
  let last: { readonly at: number; readonly looking: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > SHARED_FOR_MS) last = { at: now, looking: look() };
    return last.looking;
  };
};
