/**
 * Calls `pump` after the callers just answered had a turn to ask again, so that they share the next batch instead of
 * each starting one. Uses no timer: when nobody asks, this is the next turn of the event loop.
 */
export const createDeferredPump = (pump: () => void): (() => void) => {
  let gathering = false;
  return () => {
    if (gathering) return;
    gathering = true;
    setImmediate(() => {
      gathering = false;
      pump();
    });
  };
};
