import type { WriteStep } from '../../graph/group-commit.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { ACCESS_REVISION, updateAccessRevision } from '../queries.ts';
import { createStep, STEP_ORDER } from './step.ts';

/**
 * Every change of a record that decides what callers may do contains these steps: they make every process reload its
 * access rules in the transaction that makes the change.
 */
export const accessRevisionSteps = ({ governsAccess }: Kind): WriteStep[] =>
  governsAccess ? [createStep(updateAccessRevision, STEP_ORDER.accessRevision, [{ name: ACCESS_REVISION }])] : [];
