import type { PasswordHasher } from '../../access/password.ts';
import type { Principal } from '../../access/principal.ts';
import type { SecretBox } from '../../access/secret-box.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Engine } from '../engine.ts';
import type { Snapshot } from '../read/snapshot.ts';
import type { ReferenceResolver } from './references.ts';

/** Who writes, and when. `fresh` is the time that the record will store as its update time. */
export type WriteActor = {
  readonly principal: Principal;
  readonly now: number;
};

export type WriteContext = ReferenceResolver &
  Pick<Engine, 'authorizer' | 'facts'> & {
    readonly secrets: SecretBox;
    readonly passwords: Pick<PasswordHasher, 'hash'>;
    /** Throws bad_request for an address that the server must not call. */
    readonly checkCallable: (address: string) => Promise<void>;
  };

/** What an absent member means: PUT keeps protected members, PATCH is complete. */
export type WriteMode = {
  readonly by: 'create' | 'put' | 'patch';
  readonly isJsonPatch: boolean;
  readonly overrideMetadata: boolean;
};

export const CREATE_MODE: WriteMode = { by: 'create', isJsonPatch: false, overrideMetadata: false };
export const PUT_MODE: WriteMode = { by: 'put', isJsonPatch: false, overrideMetadata: false };
export const PATCH_MODE: WriteMode = { by: 'patch', isJsonPatch: false, overrideMetadata: false };

/** Refuses a member that only administrators may set. */
export const requireAdministrator = ({ principal }: WriteActor, member: string): void => {
  if (principal.isAdmin) return;
  throw new CatalogError('forbidden', `Principal: CatalogPrincipal{name='${principal.name}'} may not set ${member}`);
};

/** The contract's error for a record that the system depends on. */
export const systemRecordError = (kind: Kind, name: string, what: 'deleted' | 'modified'): CatalogError =>
  badRequest(`System entity [${name}] of type ${kind.entityType} can not be ${what}.`);

/** Refuses a change of a record that forbids edits, unless the change allows them again. */
export const refuseUneditable = (before: Snapshot, after: Snapshot): void => {
  if (before.values['allowEdit'] !== false || after.values['allowEdit'] === true) return;
  throw systemRecordError(before.kind, before.name, 'modified');
};
