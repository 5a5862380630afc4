import { conferred, relation } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import { Flag } from '../model/values.ts';

export const bot = defineKind({
  entityType: 'bot',
  label: 'Bot',
  path: 'bots',
  title: 'Bots',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
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
    provider: provider(),
    allowImpersonation: conferred(Flag, { to: 'botUser', adminOnly: true }),
  },
  search: {},
  filters: {},
});
