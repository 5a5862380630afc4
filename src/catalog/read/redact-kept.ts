import type { JsonObject } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { maskState } from '../../model/secret-texts.ts';
import { storedMembers } from './snapshot.ts';

const secretNames = perKind(
  (kind): ReadonlySet<string> =>
    new Set(storedMembers(kind).flatMap(([name, { store }]) => (store === 'secret' ? [name] : []))),
);

/** Whether a kept state of that kind has to be read before anybody may see it. */
export const holdsSecrets = (kind: Kind): boolean => secretNames(kind).size > 0 || kind.redactState !== undefined;

/** A kept state or change, also one of an older program, with everything masked that is known to be a secret today. */
export const redactKept = (kind: Kind, state: JsonObject): JsonObject => {
  const names = secretNames(kind);
  const masked = names.size > 0 ? maskState(state, names) : state;
  return kind.redactState ? kind.redactState(masked) : masked;
};
