import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { type DeliveryVisibility, intersectVisibility, SEES_NOTHING } from '../events/delivery-visibility.ts';
import type { EyesOf } from '../events/seen.ts';
import type { DeliversAs } from '../model/delivers-as.ts';

type Deps = {
  readonly engine: Pick<Engine, 'store' | 'judge'>;
  /** The user of that name as a principal, with the rights of now; undefined when there is none any more. */
  readonly named: (name: string) => Promise<Principal | undefined>;
  readonly eyesOf: EyesOf;
};

/** A team as a principal: what its members may do because they are in it, and nothing that they may do besides. */
const teamAsPrincipal = (id: string, name: string): Principal => ({
  id,
  name,
  email: '',
  isAdmin: false,
  isBot: false,
  roles: [],
  membership: { teamIds: [id], roleIds: [], domainIds: [] },
});

const resolve = async ({ engine, named }: Deps, one: DeliversAs): Promise<Principal | undefined> => {
  if (one.type === 'user') {
    const principal = await named(one.name);
    return principal?.id === one.id ? principal : undefined;
  }
  const team = await engine.store.referenceById(one.id);
  if (!team || team.deleted || team.entityType !== 'team') return undefined;
  return teamAsPrincipal(one.id, team.name);
};

/** Looks up what a subscription may deliver, by the rights of now. */
export const createDeliveryVisibility =
  (deps: Deps): DeliveryVisibility =>
  async ({ deliversAs }) => {
    const principals = await Promise.all(deliversAs.map((one) => resolve(deps, one)));
    const present = principals.filter((principal) => principal !== undefined);
    if (present.length === 0 || present.length < principals.length) return SEES_NOTHING;
    if (present.some(({ isAdmin }) => !isAdmin)) await deps.engine.judge.settle();
    return intersectVisibility(present.map(deps.eyesOf));
  };
