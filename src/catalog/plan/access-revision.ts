import type { WriteStep } from '../../graph/group-commit.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { ACCESS_REVISION, updateAccessRevision } from '../queries.ts';
import { createStep, STEP_ORDER } from './step.ts';

/**
 * Part of every change of a record from which it follows what callers may do: in the transaction that changes it, every
 * process is told to read anew what it decides by.
 */
export const accessRevisionSteps = ({ governsAccess }: Kind): WriteStep[] =>
  governsAccess ? [createStep(updateAccessRevision, STEP_ORDER.accessRevision, [{ name: ACCESS_REVISION }])] : [];
