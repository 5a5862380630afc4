import { demandAdmin } from '../access/authorization.ts';
import { requireKind } from '../catalog/registry.ts';
import { type Answer, asOwn, type Route } from '../http/route.ts';
import { AnyJson, listOf, must, shape, Text, Timestamp } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import { findOwner } from './credential-routes.ts';
import { findIdentities, unlinkSubjects } from './identities.ts';
import { answerUncached } from './session-routes.ts';

const LinkedIdentity = shape('LinkedIdentity', {
  issuer: must(Text),
  subject: must(Text),
  linkedAt: must(Timestamp),
});
const LinkedIdentityList = shape('LinkedIdentityList', {
  data: must(listOf(LinkedIdentity)),
  paging: must(AnyJson),
});

/** Routes for the identities at providers that a user is linked to. */
export const identityRoutes = (accounts: Accounts): Route[] => {
  const user = requireKind(accounts.engine.registry, 'user');
  const answerIdentities = async (userId: string): Promise<Answer> => {
    const data = await findIdentities(accounts, userId);
    return answerUncached({ data, paging: { total: data.length } });
  };
  const common = {
    path: `/v1/${user.path}/{id}/identities`,
    tag: user.title,
    access: 'authenticated',
    responses: { 200: LinkedIdentityList },
  } as const;
  return asOwn([
    {
      ...common,
      method: 'GET',
      summary: 'List the identities at providers that a user is linked to',
      handle: async (call) => answerIdentities((await findOwner(accounts, call)).id),
    },
    {
      ...common,
      method: 'DELETE',
      summary: 'Unlink a user from all identities at providers',
      handle: async (call) => {
        const owner = await findOwner(accounts, call);
        // Whoever holds the session might be the wrong person, so nobody unlinks their own account.
        demandAdmin(call.principal, 'GenerateToken');
        await unlinkSubjects(accounts, owner);
        return answerIdentities(owner.id);
      },
    },
  ]);
};
