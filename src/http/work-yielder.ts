import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields to the event loop once enough text was processed. */
export type WorkYielder = (characters: number) => Promise<void> | undefined;

/** Some 10 ms of parsing, rendering and writing. */
const MAX_TURN_CHARACTERS = 512 * 1024;

/** Counts the text about to be processed, and yields before it becomes too much for one turn of the event loop. */
export const createWorkYielder = (max = MAX_TURN_CHARACTERS): WorkYielder => {
  let done = 0;
  return (characters) => {
    done += characters;
    if (done <= max || done === characters) return undefined;
    done = characters;
    return nextTurn();
  };
};
