import type { JsonObject } from '../../model/json.ts';
import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import { maskSecretsInState } from '../../model/secret-masking.ts';
import { storedMembers } from './snapshot.ts';

const secretMemberNames = memoisePerKind(
  (kind): ReadonlySet<string> =>
    new Set(storedMembers(kind).flatMap(([name, { store }]) => (store === 'secret' ? [name] : []))),
);

/** Whether a kept state of that kind has to be read before anybody may see it. */
export const needsStateRedaction = (kind: Kind): boolean =>
  secretMemberNames(kind).size > 0 || kind.redactState !== undefined;

/** A kept state or change, also one of an older program, with everything masked that is known to be a secret today. */
export const redactStoredState = (kind: Kind, state: JsonObject): JsonObject => {
  const names = secretMemberNames(kind);
  const masked = names.size > 0 ? maskSecretsInState(state, names) : state;
  return kind.redactState ? kind.redactState(masked) : masked;
};
