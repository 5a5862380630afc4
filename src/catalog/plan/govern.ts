import type { Step } from '../../graph/commit.ts';
import type { Kind } from '../../model/kind.ts';
import { RIGHTS, updateRevision } from '../queries.ts';
import { ORDER, step } from './step.ts';

/**
 * Part of every change of a record from which it follows what callers may do: in the transaction that changes it, every
 * process is told to read anew what it decides by.
 */
export const governSteps = ({ governsAccess }: Kind): Step[] =>
  governsAccess ? [step(updateRevision, ORDER.govern, [{ name: RIGHTS }])] : [];
