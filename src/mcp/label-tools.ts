import * as v from 'valibot';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { WAY_MARK } from '../model/lineage-way.ts';
import { rowsOf } from './assets.ts';
import { describePage, pageArguments, pageFacts } from './list-page.ts';
import { choiceArgument, defineTool, nameArgument, type Tool } from './tool.ts';

/** Tools that tell what assets and columns should have along lineage, and where those with a tag flow. */

const STATES = ['missing', 'conflicts', 'blocked', 'agrees'] as const;
const OF_ASSETS = ['owners', 'domains', 'tier'] as const;
const PROPERTIES = [...OF_ASSETS, 'description', 'glossaryTerms'] as const;

/** A value in one text: names of records, the name of a tier, or a description. */
const valueText = (value: Json | undefined): string => {
  if (isArray(value))
    return rowsOf(value)
      .map(({ fullyQualifiedName }) => String(fullyQualifiedName))
      .join(', ');
  return isObject(value) ? String(value['tagFQN']) : String(value ?? '');
};

const rivalsOf = (row: JsonObject): readonly string[] => {
  const all = row['conflictsWith'];
  return isArray(all) ? all.map(valueText) : [];
};

const rowOf = (row: JsonObject): JsonObject => {
  const [column, entity, block] = [row['column'], row['entity'], row['blockedBy']] as (JsonObject | null | undefined)[];
  const rivals = rivalsOf(row);
  return {
    ...(column ? { column: column['fullyQualifiedName'] ?? '' } : {}),
    ...(entity ? { asset: entity['fullyQualifiedName'] ?? '', type: entity['type'] ?? '' } : {}),
    state: row['state'] ?? '',
    ...(row['value'] === undefined ? {} : { value: valueText(row['value']) }),
    because: row['reason'] ?? '',
    ...(block ? { blockedBy: block['function'] ?? '' } : {}),
    ...(rivals.length === 0 ? {} : { conflictsWith: rivals.join(', ') }),
    confidence: row['confidence'] ?? 0,
  };
};

/** What rows about columns and rows about assets have in common. */
const ROW = {
  state: v.string(),
  value: v.optional(v.string()),
  because: v.string(),
  conflictsWith: v.optional(v.string()),
  confidence: v.number(),
};

const inheritedLabels = defineTool({
  name: 'inherited_labels',
  title: 'Find columns that should carry a tag',
  description:
    'Tells which columns are made from columns with a tag, such as PII.Sensitive, and lack it, have it, contradict it, or are protected by a function on the way. Each row says by which way. With a property instead of a tag: which assets should have the owners, domains or tier of what they are made from, or columns the description or glossary terms.',
  schema: v.strictObject({
    tag: v.optional(nameArgument('Fully qualified name of the tag; either this or a property')),
    property: v.optional(choiceArgument('The property to follow instead of a tag', PROPERTIES)),
    scope: v.optional(nameArgument('Fully qualified name of the part of the catalog to look at; all of it by default')),
    state: v.optional(choiceArgument('The only state to list', STATES)),
    ...pageArguments('columns or assets', 100),
  }),
  answers: {
    facts: {
      tag: v.optional(v.string()),
      property: v.optional(v.string()),
      sources: v.number(),
      missing: v.number(),
      agrees: v.number(),
      conflicts: v.number(),
      blocked: v.number(),
      ...pageFacts,
    },
    lists: {
      columns: v.strictObject({ column: v.string(), blockedBy: v.optional(v.string()), ...ROW }),
      assets: v.strictObject({ asset: v.string(), type: v.string(), ...ROW }),
    },
  },
  run: async (context, { tag, property, scope, state, limit, after }) => {
    const subject = { ...(tag === undefined ? {} : { tag }), ...(property === undefined ? {} : { property }) };
    const found = await context.api.readJson({
      path: 'lineage/propagation',
      query: { ...subject, limit, after, scope, state },
    });
    const rows = rowsOf(found['data']).map(rowOf);
    const name = OF_ASSETS.some((one) => one === property) ? 'assets' : 'columns';
    const page = describePage(found, { limit, after }, rows.length, 'name a scope or a state');
    return {
      facts: { ...subject, ...(found['summary'] as JsonObject), ...page.facts },
      lists: [{ name, rows, ...page.list }],
    };
  },
});

const flowOf = (row: JsonObject): JsonObject => {
  const [source, target] = [row['source'] as JsonObject, row['target'] as JsonObject];
  return {
    column: source['fullyQualifiedName'] ?? '',
    target: target['fullyQualifiedName'] ?? '',
    type: target['type'] ?? '',
    certain: row['certain'] ?? false,
    ways: row['ways'] ?? 0,
    path: (row['path'] as readonly string[]).join(WAY_MARK),
  };
};

const labelFlows = defineTool({
  name: 'label_flows',
  title: 'Find where labelled columns flow',
  description:
    'Tells which assets, such as dashboards or models, columns with a tag reach along lineage, by which way, and whether that is certain: answers «where does our personal data end up?».',
  schema: v.strictObject({
    tag: nameArgument('Fully qualified name of a tag, such as PII.Sensitive, or of a classification, such as PII'),
    types: v.optional(nameArgument('Comma-separated entity types of the targets; dashboard,mlmodel by default')),
    scope: v.optional(nameArgument('Fully qualified name of the part of the catalog where the columns are')),
    otherDomains: v.optional(
      v.pipe(v.boolean(), v.description('Whether to list only flows that end in another domain than they begin in')),
    ),
    ...pageArguments('flows', 100),
  }),
  answers: {
    facts: { tag: v.string(), sources: v.number(), targets: v.number(), ways: v.number(), ...pageFacts },
    lists: {
      flows: v.strictObject({
        column: v.string(),
        target: v.string(),
        type: v.string(),
        certain: v.boolean(),
        ways: v.number(),
        path: v.string(),
      }),
    },
  },
  run: async (context, { tag, types, scope, otherDomains, limit, after }) => {
    const found = await context.api.readJson({
      path: 'lineage/flows',
      query: { tag, limit, after, toTypes: types, scope, leaves: otherDomains ? 'domain' : undefined },
    });
    const rows = rowsOf(found['data']).map(flowOf);
    const page = describePage(found, { limit, after }, rows.length, 'name a scope or fewer types');
    return {
      facts: { tag, ...(found['summary'] as JsonObject), ...page.facts },
      lists: [{ name: 'flows', rows, ...page.list }],
    };
  },
});

export const LABEL_TOOLS: readonly Tool[] = [inheritedLabels, labelFlows];
