import { forwarded, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { Flag } from '../model/values.ts';

export const bot = defineKind({
  entityType: 'bot',
  label: 'Bot',
  path: 'bots',
  title: 'Bots',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['domains'],
  attributes: {
    botUser: relation({
      edge: 'ACTS_AS',
      direction: 'out',
      kinds: ['user'],
      many: false,
      gated: false,
      request: 'name',
      required: true,
      exclusive: true,
      where: { isBot: true },
    }),
    provider: providerMember(),
    allowImpersonation: forwarded(Flag, { to: 'botUser', adminOnly: true }),
  },
  search: {},
  filters: {},
});
