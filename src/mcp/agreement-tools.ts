import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import { rowsOf } from './assets.ts';
import { describePage, pageArguments, pageFacts } from './list-page.ts';
import { choiceArgument, defineTool, nameArgument, type Tool } from './tool.ts';

/** A tool that tells which lineage is declared, observed, or both. */

const STATES = ['agreed', 'declaredOnly', 'observedOnly'] as const;

const rowOf = ({ from, to, state = '', declared, observed, lastSeen = 0, confidence = 0 }: JsonObject): JsonObject => ({
  from: (from as JsonObject)['fullyQualifiedName'] ?? '',
  to: (to as JsonObject)['fullyQualifiedName'] ?? '',
  state,
  sources: [...(declared as string[]), ...(observed as string[])].join(', '),
  lastSeen: new Date(Number(lastSeen)).toISOString(),
  confidence,
});

const lineageAgreement = defineTool({
  name: 'lineage_agreement',
  title: 'Compare declared with observed lineage',
  description:
    'Lists lineage edges by whether people, dbt or views declare them and queries or runs of pipelines observed them: agreed, declaredOnly or observedOnly, with their sources, when they were last seen and how far they can be relied on.',
  schema: v.strictObject({
    scope: v.optional(nameArgument('Fully qualified name of the part of the catalog to look at; all of it by default')),
    state: v.optional(choiceArgument('The only state to list', STATES)),
    ...pageArguments('edges', 100),
  }),
  answers: {
    facts: { agreed: v.number(), declaredOnly: v.number(), observedOnly: v.number(), ...pageFacts },
    lists: {
      edges: v.strictObject({
        from: v.string(),
        to: v.string(),
        state: v.string(),
        sources: v.string(),
        lastSeen: v.string(),
        confidence: v.number(),
      }),
    },
  },
  run: async (context, { scope, state, limit, after }) => {
    const found = await context.api.readJson({ path: 'lineage/agreement', query: { limit, after, scope, state } });
    const rows = rowsOf(found['data']).map(rowOf);
    const page = describePage(found, { limit, after }, rows.length, 'name a scope or a state');
    return {
      facts: { ...(found['summary'] as JsonObject), ...page.facts },
      lists: [{ name: 'edges', rows, ...page.list }],
    };
  },
});

export const AGREEMENT_TOOLS: readonly Tool[] = [lineageAgreement];
