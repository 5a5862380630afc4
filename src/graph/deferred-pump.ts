/**
 * Calls `pump` once those who were just answered have had their turn to ask again, so that they share the next batch
 * instead of each starting one of their own. No timer: with nobody asking, this is the next turn of the event loop.
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
