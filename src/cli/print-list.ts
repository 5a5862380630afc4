import { type Output, stripControls } from './output.ts';

/** Prints names and reasons below a title, as many as one reads. */

const MAX_SHOWN = 20;

/** Prints nothing where there are none. The texts may be those of strangers. */
export const printList = (output: Output, title: string, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  output.line(title);
  for (const line of lines.slice(0, MAX_SHOWN)) output.line(`  ${stripControls(line)}`);
  if (lines.length > MAX_SHOWN) output.line(`  … ${lines.length - MAX_SHOWN} more; --json names them`);
};
