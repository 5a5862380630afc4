import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { type DeliveryVisibilityOf, intersectVisibilities, NO_VISIBILITY } from '../events/delivery-visibility.ts';
import type { EventVisibilityOf } from '../events/event-visibility.ts';
import type { DeliveryPrincipal } from '../model/schemas/events/delivers-as.ts';

type DeliveryVisibilityDeps = {
  readonly engine: Pick<Engine, 'store' | 'authorizer'>;
  /** Finds the user with this name as a principal with current rights; undefined when the user no longer exists. */
  readonly principalNamed: (name: string) => Promise<Principal | undefined>;
  readonly visibilityOf: EventVisibilityOf;
};

/** A team as a principal, with the rights that its members have through the team and no others. */
const teamAsPrincipal = (id: string, name: string): Principal => ({
  id,
  name,
  email: '',
  isAdmin: false,
  isBot: false,
  roles: [],
  membership: { teamIds: [id], roleIds: [], domainIds: [] },
});

const resolvePrincipal = async (
  { engine, principalNamed }: DeliveryVisibilityDeps,
  one: DeliveryPrincipal,
): Promise<Principal | undefined> => {
  if (one.type === 'user') {
    const principal = await principalNamed(one.name);
    return principal?.id === one.id ? principal : undefined;
  }
  const team = await engine.store.referenceById(one.id);
  if (!team || team.deleted || team.entityType !== 'team') return undefined;
  return teamAsPrincipal(one.id, team.name);
};

/** Looks up what a subscription may deliver under the current rights of its delivery principals. */
export const createDeliveryVisibility =
  (deps: DeliveryVisibilityDeps): DeliveryVisibilityOf =>
  async ({ deliversAs }) => {
    const principals = await Promise.all(deliversAs.map((one) => resolvePrincipal(deps, one)));
    const present = principals.filter((principal) => principal !== undefined);
    if (present.length === 0 || present.length < principals.length) return NO_VISIBILITY;
    if (present.some(({ isAdmin }) => !isAdmin)) await deps.engine.authorizer.ensureFresh();
    return intersectVisibilities(present.map(deps.visibilityOf));
  };
