/**
 * A program that locks the home named by the first argument until its input ends, with the second argument as its note.
 */
import { lockHome } from '../../src/platform/home-lock.ts';

const [home = '', note] = process.argv.slice(2);

try {
  const held = await lockHome(home);
  if (note) await held.note(note);
  console.log('held');
  process.stdin.on('end', () => held.release()).resume();
} catch (failure) {
  console.log(`refused ${failure instanceof Error ? failure.message : failure}`);
}
