import type { LineageNode } from '../api/types.ts';
import { contractOutcome, type Outcome, testOutcome } from '../parts/outcome.ts';

/** The states of tests and contracts in words, with how good they are. */

export type State = {
  readonly what: 'test' | 'contract';
  readonly word: string;
  /** The word with what it is said of. */
  readonly text: string;
  readonly tone: Outcome['tone'];
};

const stateOf = (what: State['what'], { words, tone }: Outcome): State => ({
  ...{ what, word: words, tone },
  text: `${what} ${words}`,
});

type States = Pick<LineageNode, 'testStatus' | 'contractStatus'>;

/** The worst state among the tests of a record. */
export const testState = ({ testStatus }: States): State | undefined =>
  testStatus && stateOf('test', testOutcome(testStatus));

export const contractState = ({ contractStatus }: States): State | undefined =>
  contractStatus && stateOf('contract', contractOutcome(contractStatus));

/** The states of a record; nothing is said of what has neither tests nor a contract. */
export const statesOf = (record: States): readonly State[] =>
  [testState(record), contractState(record)].filter((state) => state !== undefined);
