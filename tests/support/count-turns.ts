/** How many turns the event loop takes while some work is done. */
export const countTurns = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
};
