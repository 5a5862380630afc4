import type { CommandInput } from './command.ts';
import type { Output } from './output.ts';

/** What a command tells while it works, and what it answers at the end. */

export type ResultAnswer = {
  /** Tells how far the work is. With `--json` only a terminal shows it, and the next line overwrites it. */
  readonly report: (line: string) => void;
  /** Answers in words, or the values of the result as JSON and nothing else. */
  result(values: object, ...lines: readonly string[]): void;
};

export const openAnswer = ({
  has,
  output,
}: {
  readonly has: CommandInput['has'];
  readonly output: Output;
}): ResultAnswer =>
  has('json')
    ? { report: output.progress, result: output.json }
    : {
        report: output.line,
        result: (_, ...lines) => {
          for (const line of lines) output.line(line);
        },
      };
