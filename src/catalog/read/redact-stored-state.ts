import type { JsonObject } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { maskSecretsInState } from '../../model/secret-masking.ts';
import { storedMembers } from './snapshot.ts';

const secretMemberNames = memoisePerKind(
  (kind): ReadonlySet<string> =>
    new Set(storedMembers(kind).flatMap(([name, { store }]) => (store === 'secret' ? [name] : []))),
);

/** Whether a stored state of the kind must be redacted before anyone may see it. */
export const needsStateRedaction = (kind: Kind): boolean =>
  secretMemberNames(kind).size > 0 || kind.redactState !== undefined;

/**
 * Masks everything in a stored state or change that is a secret today, also when an older version of the server wrote
 * it.
 */
export const redactStoredState = (kind: Kind, state: JsonObject): JsonObject => {
  const names = secretMemberNames(kind);
  const masked = names.size > 0 ? maskSecretsInState(state, names) : state;
  return kind.redactState ? kind.redactState(masked) : masked;
};
