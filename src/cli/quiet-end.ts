import type { Output } from './output.ts';

/** Ends the shell as one expects it when a pipe is closed, or when somebody presses Ctrl-C. */

/** What shells report for a program that an interrupt ended. */
const INTERRUPTED = 130;

/**
 * The reader of a pipe may go when it has seen enough, as `head` does: what is written after that is lost, and the
 * command comes to its own end. Any other failure to write, such as a full disk, ends the shell.
 */
const endWithReader = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE' || failure.code === 'ERR_STREAM_DESTROYED') return;
    process.stderr.write(`The output cannot be written: ${failure.message}\n`);
    process.exit(1);
  });
};

/**
 * Handles closed pipes and interrupts from now on. A command that listens for interrupts itself has something to clean
 * up and ends by itself; a second interrupt does not wait for it.
 */
export const endQuietly = (shell: NodeJS.Process, output: Output) => {
  endWithReader(shell.stdout);
  endWithReader(shell.stderr);
  let isInterrupted = false;
  shell.on('SIGINT', () => {
    isInterrupted = true;
    if (shell.listenerCount('SIGINT') > 1) return;
    output.clearProgress();
    shell.exit(INTERRUPTED);
  });
  /** The exit code of the shell; a command that an interrupt kept from its work has not merely failed. */
  return { codeOf: (code: number): number => (isInterrupted && code !== 0 ? INTERRUPTED : code) };
};
