import type { Principal } from '../../access/principal.ts';
import type { SecretBox } from '../../access/secret-box.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Kind } from '../../model/kind.ts';
import type { Snapshot } from '../read/snapshot.ts';
import type { Resolver } from './resolve.ts';

/** Who writes, and when. `fresh` is the moment the record will say it was updated. */
export type Actor = {
  readonly principal: Principal;
  readonly now: number;
};

export type Desk = Resolver & {
  readonly secrets: SecretBox;
  /** Throws bad_request for an address that this program must not call. */
  readonly mayCall: (address: string) => Promise<void>;
};

/** How a request's absences are to be read: PUT protects what it does not mention, PATCH says everything. */
export type Mode = {
  readonly by: 'create' | 'put' | 'patch';
  readonly isJsonPatch: boolean;
  readonly overrideMetadata: boolean;
};

export const CREATE: Mode = { by: 'create', isJsonPatch: false, overrideMetadata: false };
export const PUT: Mode = { by: 'put', isJsonPatch: false, overrideMetadata: false };
export const PATCH: Mode = { by: 'patch', isJsonPatch: false, overrideMetadata: false };

/** Refuses what only administrators may set. */
export const refuseLayman = ({ principal }: Actor, member: string): void => {
  if (principal.isAdmin) return;
  throw new CatalogError('forbidden', `Principal: CatalogPrincipal{name='${principal.name}'} may not set ${member}`);
};

/** The contract's sentence for a record that the system depends on. */
export const systemRecord = (kind: Kind, name: string, what: 'deleted' | 'modified'): CatalogError =>
  badRequest(`System entity [${name}] of type ${kind.entityType} can not be ${what}.`);

/** A record that says it cannot be edited first has to say that it can. */
export const refuseFrozen = (before: Snapshot, after: Snapshot): void => {
  if (before.values['allowEdit'] !== false || after.values['allowEdit'] === true) return;
  throw systemRecord(before.kind, before.name, 'modified');
};
